import { compileTemplate, type CountedField, type LinePattern, swiftTemplate } from './template.js'

/** A request of an account in the proxy's access log. */
export interface AccessLine {
  /** The end of the request in Unix seconds. */
  readonly time: number
  /** Null for a request that is not counted: of a middleware, refused, or without an account. */
  readonly request: AccountRequest | null
}

export interface AccountRequest {
  /** Null for a request of S3 whose account the line does not have. */
  readonly account: string | null
  readonly bytesIn: number
  readonly bytesOut: number
}

/** Parses a line of the proxy's access log; undefined for any other line. */
export type ParseAccessLine = (line: string) => AccessLine | undefined

/** Refused requests are not counted: they may be those of strangers. */
const refused = new Set(['401', '403'])
const longestAccount = 512

/** The paths that Swift and its middleware answer themselves, without an account. The log quotes the `?` of a query. */
const ownPath = /^\/(?:v1(?:\.0)?|info|healthcheck|crossdomain\.xml|(?:auth|recon|endpoints)(?:\/.*)?)?\/?(?:%3F.*)?$/

interface Fields extends Record<Exclude<CountedField, 'path' | 'account'>, string> {
  /** Undefined where the template does not have them. */
  readonly path: string | undefined
  readonly account: string | undefined
}

export interface ParserOptions {
  /** The proxies' own `log_msg_template`s; lines of Swift's template are always parsed. */
  readonly templates?: readonly string[]
  /** True if requests by S3 are served, whose paths have no account. */
  readonly servesS3?: boolean
}

/** Returns a parser of the lines of these templates, which can all be compiled. */
export function accessLineParser({ templates = [], servesS3 = false }: ParserOptions = {}): ParseAccessLine {
  const own = templates.filter((template) => template !== swiftTemplate).map((template) => compileTemplate(template))
  // A later Swift appends fields to its template, and lines of before a change of the template are still there.
  const patterns = [...own, compileTemplate(swiftTemplate, { isOpen: true })]
  return (line) => {
    for (const pattern of patterns) {
      const fields = fieldsOf(line, pattern)
      if (fields !== undefined) return accessLine(fields, servesS3)
    }
    return undefined
  }
}

function fieldsOf(line: string, { regex, groups }: LinePattern): Fields | undefined {
  const match = regex.exec(line)
  if (match === null) return undefined
  return {
    time: match[groups.time] as string,
    status: match[groups.status] as string,
    source: match[groups.source] as string,
    bytesIn: match[groups.bytesIn] as string,
    bytesOut: match[groups.bytesOut] as string,
    path: groups.path === 0 ? undefined : match[groups.path],
    account: groups.account === 0 ? undefined : match[groups.account],
  }
}

function accessLine(fields: Fields, servesS3: boolean): AccessLine | undefined {
  const { time: when, status, source, bytesIn, bytesOut } = fields
  const time = timeOf(when)
  if (time === undefined) return undefined
  const account = source === '-' && !refused.has(status) ? accountOf(fields, servesS3) : undefined
  if (account === undefined) return { time, request: null }
  return { time, request: { account, bytesIn: integerOf(bytesIn), bytesOut: integerOf(bytesOut) } }
}

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

/** Parses `20/Nov/2026/10/30/27`, `2026-11-20T10:30:27`, both UTC, and Unix seconds. */
function timeOf(text: string): number | undefined {
  if (text[2] !== '/') {
    const time = text.includes('T') ? Date.parse(`${text}Z`) / 1_000 : Math.floor(Number(text))
    return Number.isFinite(time) ? time : undefined
  }
  const [day, month, ...rest] = text.split('/')
  const index = months.indexOf(month as string)
  const [year, hour, minute, second] = rest.map(Number) as [number, number, number, number]
  return index < 0 ? undefined : Date.UTC(year, index, Number(day), hour, minute, second) / 1_000
}

/** Returns undefined without an account, and null for one that the line does not have. */
function accountOf({ path, account }: Fields, servesS3: boolean): string | null | undefined {
  const ofPath = path === undefined ? undefined : accountOfPath(path)
  if (ofPath !== undefined) return bounded(ofPath)
  if (account !== undefined) return account === '-' ? undefined : bounded(unquote(account))
  return servesS3 && path !== undefined && !ownPath.test(path) ? null : undefined
}

/** The log quotes the complete path, in addition to the quotes of the client. */
function accountOfPath(logged: string): string | undefined {
  const name = /^\/v1(?:\.0)?\/([^/?]+)/.exec(unquote(logged) ?? '')?.[1]
  return name === undefined ? undefined : unquote(name)
}

function bounded(account: string | undefined): string | undefined {
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
