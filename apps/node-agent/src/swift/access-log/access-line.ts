/** A request of an account in the proxy's access log. */
export interface AccessLine {
  /** The end of the request in Unix seconds. */
  readonly time: number
  /** Null for a request that is not counted: of a middleware, refused, or without an account. */
  readonly request: { readonly account: string; readonly bytesIn: number; readonly bytesOut: number } | null
}

/**
 * Matches the fields of Swift's own `log_msg_template` from the time on, which no client can imitate: blanks of clients are
 * written as %20, and everything before the time (addresses, the prefix of syslog) is ignored.
 */
const fields =
  / (\d\d\/[A-Z][a-z]{2}\/\d{4}\/\d\d\/\d\d\/\d\d) [A-Z]+ (\S+) HTTP\/\S+ (\d{3}) \S+ \S+ \S+ (\S+) (\S+) \S+ \S+ \S+ \S+ (\S+)/

/** Refused requests are not counted: they may be those of strangers. */
const refused = new Set(['401', '403'])
const longestAccount = 512

/** Parses a line of the proxy's access log; undefined for any other line. */
export function parseAccessLine(line: string): AccessLine | undefined {
  const match = fields.exec(line)
  if (match === null) return undefined
  const [, when, path, status, bytesIn, bytesOut, source] = match as unknown as [string, ...Six]
  const time = timeOf(when)
  if (time === undefined) return undefined
  const account = source === '-' && !refused.has(status) ? accountOf(path) : undefined
  if (account === undefined) return { time, request: null }
  return { time, request: { account, bytesIn: integerOf(bytesIn), bytesOut: integerOf(bytesOut) } }
}

type Six = [string, string, string, string, string, string]

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

/** Parses `20/Nov/2026/10/30/27`, always UTC. */
function timeOf(text: string): number | undefined {
  const [day, month, ...rest] = text.split('/')
  const index = months.indexOf(month as string)
  const [year, hour, minute, second] = rest.map(Number) as [number, number, number, number]
  return index < 0 ? undefined : Date.UTC(year, index, Number(day), hour, minute, second) / 1_000
}

/** The log quotes the complete path, in addition to the quotes of the client. */
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

function integerOf(text: string): number {
  return /^\d{1,15}$/.test(text) ? Number(text) : 0
}
