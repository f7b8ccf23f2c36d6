/** The fields of one line that are counted, in the order in which its template has them. */
export type CountedField = 'time' | 'account' | 'path' | 'status' | 'bytesIn' | 'bytesOut' | 'source'

/** Matches the lines of one `log_msg_template`. */
export interface LinePattern {
  readonly regex: RegExp
  /** The group of each field in `regex`; 0 for one that the template does not have. */
  readonly groups: Readonly<Record<CountedField, number>>
}

/** A template whose lines cannot be counted; the message is a clause for operators. */
export class TemplateError extends Error {
  override readonly name = 'TemplateError'
}

/** Swift's own `log_msg_template`. */
export const swiftTemplate =
  '{client_ip} {remote_addr} {end_time.datetime} {method} {path} {protocol} {status_int} {referer} {user_agent} {auth_token} {bytes_recvd} {bytes_sent} {client_etag} {transaction_id} {headers} {request_time} {source} {log_info} {start_time} {end_time} {policy_index}'

/** A text between fields, or a field. The end of one that `isOpen` is where another character follows. */
type Part =
  | { readonly literal: string }
  | { readonly name: string; readonly field: CountedField | null; readonly form: string; readonly isOpen: boolean }

/** Swift quotes each value, so that no value has another character than these. */
const quotedCharacter = String.raw`[\w.~%:/{}-]`
const value = `${quotedCharacter}+`
const integer = String.raw`(?:\d+|-)`

/** The forms of a time that have both date and time of day. */
const times: Readonly<Record<string, string>> = {
  datetime: String.raw`\d\d/[A-Z][a-z]{2}/\d{4}/\d\d/\d\d/\d\d`,
  iso8601: String.raw`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d`,
  s: String.raw`\d{9,11}`,
  '': String.raw`\d{9,11}\.\d{9}`,
}

const counted: Readonly<Record<string, CountedField>> = {
  end_time: 'time',
  account: 'account',
  path: 'path',
  status_int: 'status',
  bytes_recvd: 'bytesIn',
  bytes_sent: 'bytesOut',
  source: 'source',
}

/** Forms of other values than quoted text. */
const forms: Readonly<Record<string, string>> = {
  status_int: integer,
  bytes_recvd: integer,
  bytes_sent: integer,
  protocol: String.raw`(?:HTTP/[\d.]+|-)`,
}

/** Needed beside `{account}` or `{path}`. */
const required: Readonly<Record<string, CountedField>> = {
  '{end_time}': 'time',
  '{status_int}': 'status',
  '{bytes_recvd}': 'bytesIn',
  '{bytes_sent}': 'bytesOut',
  '{source}': 'source',
}

/** Returns the fields that a template lacks. */
export function missingFields(template: string): readonly string[] {
  const found = new Set(parse(template).flatMap((part) => ('field' in part ? (part.field ?? []) : [])))
  const missing = Object.entries(required).flatMap(([text, field]) => (found.has(field) ? [] : [text]))
  return found.has('account') || found.has('path') ? missing : ['{account}', ...missing]
}

export function hasAccount(template: string): boolean {
  return parse(template).some((part) => 'field' in part && part.field === 'account')
}

/**
 * Compiles a template to a pattern. The text before its first counted field is left out, since syslog writes something before
 * it anyway. No client can imitate the separators: Swift quotes them in values. A template that `isOpen` may continue on the line.
 * Throws TemplateError.
 */
export function compileTemplate(template: string, { isOpen = false } = {}): LinePattern {
  const parts = parse(template)
  const missing = missingFields(template)
  if (missing.length > 0) throw new TemplateError(`it has no ${missing.join(', no ')}`)
  requireSeparators(parts)
  const isCounted = (part: Part, i: number): boolean => 'field' in part && part.field !== null && isFirst(parts, i)
  const first = parts.findIndex(isCounted)
  const before = parts[first - 1]
  const used = parts.slice(first, isOpen ? parts.findLastIndex(isCounted) + 1 : parts.length)
  const start = before !== undefined && 'literal' in before ? escaped(before.literal) : String.raw`(?:^|\s)`
  const groups = { time: 0, account: 0, path: 0, status: 0, bytesIn: 0, bytesOut: 0, source: 0 }
  let count = 0
  const middle = used.map((part, i) => {
    if ('literal' in part) return escaped(part.literal)
    if (part.field === null || !isFirst(used, i)) return part.form
    groups[part.field] = ++count
    return `(${part.form})`
  })
  return { regex: new RegExp(`${start}${middle.join('')}${isOpen ? '' : String.raw`[\s\0]*$`}`), groups }
}

/** A field that is repeated is counted once. */
function isFirst(parts: readonly Part[], at: number): boolean {
  const fieldAt = (part: Part | undefined) => (part !== undefined && 'field' in part ? part.field : null)
  return parts.findIndex((part) => fieldAt(part) === fieldAt(parts[at])) === at
}

/** Python's syntax of `str.format`: `{name.attribute!conversion:format}`, and doubled braces. */
const syntax = /\{\{|\}\}|\{([a-z_]+)(?:\.([A-Za-z0-9]+))?((?:![a-z])?(?::[^{}]*)?)\}|[^{}]+/g

function parse(template: string): readonly Part[] {
  const parts: Part[] = []
  let end = 0
  for (const match of template.matchAll(syntax)) {
    if (match.index !== end) break
    end += match[0].length
    const [text, name, attribute = '', format = ''] = match
    const last = parts.at(-1)
    if (name !== undefined) parts.push(fieldOf(name, attribute, format))
    else if (last !== undefined && 'literal' in last) parts.splice(-1, 1, { literal: last.literal + unescaped(text) })
    else parts.push({ literal: unescaped(text) })
  }
  if (/\p{Cc}/u.test(template)) throw new TemplateError('it has a tab or a line break')
  if (end !== template.length) throw new TemplateError('it is not a valid format of Python')
  return parts
}

function fieldOf(name: string, attribute: string, format: string): Part {
  const plain: Part = { name, field: null, form: value, isOpen: true }
  if (format !== '') return plain
  if (name === 'end_time' || name === 'start_time') {
    const form = times[attribute]
    if (form !== undefined) return { name, field: name === 'end_time' ? 'time' : null, form, isOpen: false }
    return /^[mun]s$/.test(attribute) ? { name, field: null, form: String.raw`\d+`, isOpen: false } : plain
  }
  if (attribute !== '') return plain
  const form = forms[name]
  return { name, field: counted[name] ?? null, form: form ?? value, isOpen: form === undefined }
}

/** Throws where the end of a value could not be found. */
function requireSeparators(parts: readonly Part[]): void {
  for (const [i, part] of parts.entries()) {
    const next = parts[i + 1]
    if ('literal' in part || next === undefined || !part.isOpen) continue
    if ('literal' in next && !new RegExp(`^${quotedCharacter}`).test(next.literal)) continue
    throw new TemplateError(`no blank follows {${part.name}}`)
  }
}

function unescaped(text: string): string {
  return text === '{{' || text === '}}' ? text.slice(1) : text
}

function escaped(literal: string): string {
  return literal.replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`)
}
