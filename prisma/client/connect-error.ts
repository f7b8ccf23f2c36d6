import { describeServer } from './client.js'
import type { Connection } from './client.js'
import { DatabaseError, reasonOf } from './errors.js'

/** By SQLSTATE: what the server that answers has against us, and what to do about it. */
const refusals: Readonly<Record<string, string>> = {
  '28P01': 'refuses the user or the password: check both in DATABASE_URL.',
  '28000': 'refuses the user: check its name in DATABASE_URL, and that the server lets it in (pg_hba.conf).',
  '3D000': 'has no database of this name: create it, or name another in DATABASE_URL.',
  '42501': 'lets the user not into this database: grant it CONNECT, or name another in DATABASE_URL.',
  '53300': 'has no connection free: raise its max_connections, or end what holds them.',
}

/** Why a connection did not come about. Throw it. */
export function connectError(connection: Connection, error: unknown): DatabaseError {
  const server = describeServer(connection)
  const reason = reasonOf(error)
  const refusal = wantsPassword(reason)
    ? 'wants a password: put one into DATABASE_URL, or let the server trust this machine.'
    : refusals[(error as { readonly code?: string }).code ?? '']
  const sentence =
    refusal === undefined
      ? `The database at ${server} cannot be reached (${reason}): check DATABASE_URL and that PostgreSQL runs there.`
      : `PostgreSQL at ${server} ${refusal} It says: ${reason}.`
  return new DatabaseError('unreachable', sentence, error)
}

/** What the driver says where it was given none. */
function wantsPassword(reason: string): boolean {
  return reason.includes('client password must be a string')
}
