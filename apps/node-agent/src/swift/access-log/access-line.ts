/** A request that counts for an account, as the proxy's access log has it. */
export interface AccessLine {
  /** When the request ended, in Unix seconds, to the second. */
  readonly time: number
  /** Null where the request counts for nobody: of a middleware, refused, without an account. */
  readonly request: { readonly account: string; readonly bytesIn: number; readonly bytesOut: number } | null
}

/**
 * The fields of Swift's own `log_msg_template` from the time on, which no client can imitate: a blank in what a client says is
 * written %20, and what stands before the time (addresses, what syslog adds) is not looked at.
 */
const fields =
  / (\d\d\/[A-Z][a-z]{2}\/\d{4}\/\d\d\/\d\d\/\d\d) [A-Z]+ (\S+) HTTP\/\S+ (\d{3}) \S+ \S+ \S+ (\S+) (\S+) \S+ \S+ \S+ \S+ (\S+)/

/** Refused: nobody's account is to pay for what strangers try. */
const refused = new Set(['401', '403'])
const longestAccount = 512

/** Reads a line of the proxy's access log; undefined when it is none. */
export function parseAccessLine(line: string): AccessLine | undefined {
  const match = fields.exec(line)
  if (match === null) return undefined
  const [, when, path, status, bytesIn, bytesOut, source] = match as unknown as [string, ...Six]
  const time = timeOf(when)
  if (time === undefined) return undefined
  const account = source === '-' && !refused.has(status) ? accountOf(path) : undefined
  if (account === undefined) return { time, request: null }
  return { time, request: { account, bytesIn: wholeOf(bytesIn), bytesOut: wholeOf(bytesOut) } }
}

type Six = [string, string, string, string, string, string]

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

/** `20/Nov/2026/10/30/27`, always UTC. */
function timeOf(text: string): number | undefined {
  const [day, month, ...rest] = text.split('/')
  const index = months.indexOf(month as string)
  const [year, hour, minute, second] = rest.map(Number) as [number, number, number, number]
  return index < 0 ? undefined : Date.UTC(year, index, Number(day), hour, minute, second) / 1_000
}

/** The path is quoted as a whole by the log, above what the client had quoted in it. */
function accountOf(logged: string): string | undefined {
  const name = /^\/v1(?:\.0)?\/([^/?]+)/.exec(unquote(logged) ?? '')?.[1]
  const account = name === undefined ? undefined : unquote(name)
  return account === undefined || account.length > longestAccount ? undefined : account
}

function unquote(text: string): string | undefined {
  if (!text.includes('%')) return text
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}

function wholeOf(text: string): number {
  return /^\d{1,15}$/.test(text) ? Number(text) : 0
}
