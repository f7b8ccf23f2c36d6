import { describeServer } from './client.js'
import type { Connection } from './client.js'
import { DatabaseError, reasonOf } from './errors.js'

/** By SQLSTATE: what the server that answers has against us, and what to do about it. */
const refusals: Readonly<Record<string, string>> = {
  '28P01': 'rejects the user name or the password: check both in DATABASE_URL.',
  '28000':
    'rejects the user: check the user name in DATABASE_URL, and that pg_hba.conf of the server permits this user.',
  '3D000': 'has no database of this name: create the database, or name another one in DATABASE_URL.',
  '42501':
    'does not let the user into this database: grant the user CONNECT on it, or name another database in DATABASE_URL.',
  '53300': 'has no free connection: increase max_connections of the server, or close other connections.',
}

/** Why a connection did not come about. Throw it. */
export function connectError(connection: Connection, error: unknown): DatabaseError {
  const server = describeServer(connection)
  const reason = reasonOf(error)
  const refusal = wantsPassword(reason)
    ? 'requires a password: add the password to DATABASE_URL, or permit this machine without a password in pg_hba.conf.'
    : refusals[(error as { readonly code?: string }).code ?? '']
  const sentence =
    refusal === undefined
      ? `The database at ${server} cannot be reached (${reason}): check DATABASE_URL and that PostgreSQL runs there.`
      : `PostgreSQL at ${server} ${refusal} The server reports: ${reason}.`
  return new DatabaseError('unreachable', sentence, error)
}

/** What the driver says where it was given none. */
function wantsPassword(reason: string): boolean {
  return reason.includes('client password must be a string')
}
