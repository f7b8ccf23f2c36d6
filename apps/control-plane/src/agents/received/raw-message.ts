import { isTooDeep } from '@roost/api-types/agent'

/** A parsed message that is not checked yet. */
export type RawMessage = Readonly<Record<string, unknown>> & { readonly type: string }

/** Parses a message. Returns undefined for anything but a JSON object with a type, and for one that is nested too deep. */
export function parseMessage(data: Buffer): RawMessage | undefined {
  try {
    // PostgreSQL cannot store NUL.
    const text = data.toString('utf8').replaceAll('\\u0000', '\\ufffd')
    if (isTooDeep(text)) return undefined
    const value: unknown = JSON.parse(text)
    return isRawMessage(value) ? value : undefined
  } catch {
    return undefined
  }
}

function isRawMessage(value: unknown): value is RawMessage {
  return typeof value === 'object' && value !== null && typeof (value as { type?: unknown }).type === 'string'
}

/** Returns another node that a message names. Messages have no such field: it is an attempt to impersonate that node. */
export function otherNode(raw: RawMessage, nodeId: number, uuid: string): string | undefined {
  for (const [field, own] of [
    ['node', nodeId],
    ['node_id', nodeId],
    ['node_uuid', uuid],
  ] as const) {
    const named = raw[field]
    if (named !== undefined && named !== own) return JSON.stringify(named).slice(0, 64)
  }
  return undefined
}
