/** How the control plane ended a connection. */
export interface StreamEnd {
  readonly code: number
  readonly message: string
  readonly retryAfterMs: number | null
}

/** Reads the reason of a close frame. */
export function readEnd(code: number, reason: string): StreamEnd {
  const { message, retry_after_ms: retryAfterMs } = parseReason(reason)
  return { code, message, retryAfterMs: retryAfterMs ?? null }
}

function parseReason(text: string): { readonly message: string; readonly retry_after_ms?: number } {
  try {
    return JSON.parse(text) as { message: string; retry_after_ms?: number }
  } catch {
    return { message: text }
  }
}
