import type { Display } from '../format/display.js'
import { t } from '../words/text.js'
import { pathOf } from './base.js'

export interface Session {
  readonly operator: string
  readonly role: 'admin' | 'read_only'
  /** When it ends at the latest. */
  readonly expires: string
  /** How the operator has the console displayed; null: as the browser has it. */
  readonly preferences: { readonly [K in keyof Display]-?: Exclude<Display[K], undefined> | null }
}

const json = { accept: 'application/json' }

/** Returns null if no operator is logged in. The first call uses the answer that boot.js has asked for. */
export async function readSession(): Promise<Session | null> {
  const early = window.roost?.session.then((response) => (response.bodyUsed ? undefined : response))
  const response = (await early) ?? (await fetch(pathOf('session'), { headers: json }))
  if (response.status === 401) return null
  if (!response.ok) throw new Error(await problemOf(response))
  return (await response.json()) as Session | null
}

/** Starts a session with the key of an operator. Throws an error with a sentence for people. */
export async function logIn(operator: string, key: string): Promise<Session> {
  // Some people paste the complete line of `admin.apikey` into the second field.
  const secret = key.trim().startsWith(`${operator}:`) ? key.trim().slice(operator.length + 1) : key.trim()
  const response = await fetch(pathOf('session'), {
    method: 'POST',
    headers: { ...json, authorization: `apikey ${operator}:${secret}` },
  })
  if (response.ok) return (await response.json()) as Session
  if (response.status === 401) throw new Error(t('login.refused'))
  throw new Error(await problemOf(response))
}

export async function logOut(): Promise<void> {
  await fetch(pathOf('session'), { method: 'DELETE', headers: json })
}

async function problemOf(response: Response): Promise<string> {
  const body = (await response.json().catch(() => ({}))) as { readonly error?: unknown }
  return typeof body.error === 'string' ? body.error : t('error.status', { status: String(response.status) })
}
