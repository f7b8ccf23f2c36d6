import { isTooDeep } from '@roost/api-types/agent'

/** A parsed message that is not checked yet. */
export type RawMessage = Readonly<Record<string, unknown>> & { readonly type: string }

/** Characters of a value that an error or an event shows. */
const maxShown = 64

/** Parses a message. Returns undefined for anything but a JSON object with a type, and for one that is nested too deep. */
export function parseMessage(data: Buffer): RawMessage | undefined {
  try {
    // PostgreSQL cannot store NUL.
    const text = data.toString('utf8').replaceAll('\\u0000', '\\ufffd')
    if (isTooDeep(text)) return undefined
    const parsed: unknown = JSON.parse(text)
    const value = surrogateEscape.test(text) ? withoutHalfCharacters(parsed) : parsed
    return isRawMessage(value) ? value : undefined
  } catch {
    return undefined
  }
}

const surrogateEscape = /\\u[dD][89a-fA-F]/

const wellFormed = (text: string) => text.replace(/\p{Surrogate}/gu, '\ufffd')

/** Half a character is valid in JSON, but the database refuses it. Recursion is safe: the depth of the message was checked. */
function withoutHalfCharacters(value: unknown): unknown {
  if (typeof value === 'string') return wellFormed(value)
  if (Array.isArray(value)) return value.map(withoutHalfCharacters)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, part]) => [wellFormed(name), withoutHalfCharacters(part)]),
  )
}

function isRawMessage(value: unknown): value is RawMessage {
  return typeof value === 'object' && value !== null && typeof (value as { type?: unknown }).type === 'string'
}

const nodeFields = ['node', 'node_id', 'node_uuid'] as const

/** Returns what is read of a message besides its checked fields, cut to the length in which it is shown. */
export function headOf(raw: RawMessage): RawMessage {
  const named = nodeFields.filter((field) => raw[field] !== undefined).map((field) => [field, shortened(raw[field])])
  const { sequence } = raw
  return {
    type: raw.type.slice(0, maxShown),
    ...(typeof sequence === 'number' ? { sequence } : {}),
    ...Object.fromEntries(named),
  }
}

function shortened(value: unknown): unknown {
  if (typeof value === 'string') return value.slice(0, maxShown)
  return typeof value === 'object' ? JSON.stringify(value).slice(0, maxShown) : value
}

/** Returns another node that a message names. Messages have no such field: it is an attempt to impersonate that node. */
export function otherNode(raw: RawMessage, nodeId: number, uuid: string): string | undefined {
  for (const [field, own] of [
    ['node', nodeId],
    ['node_id', nodeId],
    ['node_uuid', uuid],
  ] as const) {
    const named = raw[field]
    if (named !== undefined && named !== own) return JSON.stringify(named).slice(0, maxShown)
  }
  return undefined
}
