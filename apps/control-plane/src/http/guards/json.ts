import { isTooDeep, maxJsonDepth, RoostError } from '@roost/api-types/rest'
import { messages } from '../../services/messages.js'

const maxMembers = 50_000

const decoder = new TextDecoder('utf-8', { fatal: true })

/** Text of a body, which must be UTF-8. */
export function decodeBody(bytes: Uint8Array): string {
  try {
    return decoder.decode(bytes)
  } catch {
    throw invalid('The request body is not UTF-8.')
  }
}

/** Parses a body that may be hostile: bounded in depth and members, no name twice, every number finite. */
export function parseJson(text: string): unknown {
  if (isTooDeep(text)) throw invalid(`The request body is nested deeper than ${maxJsonDepth} levels.`)
  scan(text)
  try {
    return JSON.parse(text)
  } catch {
    throw invalid(messages.malformedJson)
  }
}

function invalid(message: string): RoostError {
  return new RoostError('invalid', message)
}

/** The state of a walk over the tokens, without recursion and in one pass, however hostile the text is. */
interface Scan {
  /** The names of each open object; undefined for an array. */
  readonly open: (Set<string> | undefined)[]
  members: number
  /** The last string, which is a name when a colon follows. */
  lastString: string
}

/** Goes before JSON.parse. What is no JSON at all passes, for JSON.parse to refuse. */
function scan(text: string): void {
  const state: Scan = { open: [], members: 0, lastString: '' }
  let at = 0
  while (at < text.length) {
    const end = endOfToken(text, at)
    step(state, text.slice(at, end))
    at = end
  }
}

function endOfToken(text: string, at: number): number {
  const first = text[at] ?? ''
  if (first === '"') return endOfString(text, at)
  if (!isNumeric(first)) return at + 1
  let end = at + 1
  while (isNumeric(text[end] ?? '')) end += 1
  return end
}

function isNumeric(char: string): boolean {
  return (char >= '0' && char <= '9') || char === '-' || char === '+' || char === '.' || char === 'e' || char === 'E'
}

function endOfString(text: string, at: number): number {
  let end = at + 1
  while (end < text.length && text[end] !== '"') end += text[end] === '\\' ? 2 : 1
  return end + 1
}

function step(state: Scan, part: string): void {
  const first = part[0] ?? ''
  if (first === '{') state.open.push(new Set())
  else if (first === '[') state.open.push(undefined)
  else if (first === '}' || first === ']') state.open.pop()
  else if (first === '"') state.lastString = part
  else if (first === ':') member(state)
  else if (Math.abs(Number(part)) === Infinity) throw invalid(`The number ${part.slice(0, 20)} is too large.`)
}

function member(state: Scan): void {
  state.members += 1
  if (state.members > maxMembers) throw invalid(`The request body has more than ${maxMembers} members.`)
  const name = nameOf(state.lastString)
  if (name === '__proto__') throw invalid("The request body has a member named '__proto__'.")
  const names = state.open.at(-1)
  if (names?.has(name)) throw invalid(`The request body has the member '${name.slice(0, 64)}' twice in one object.`)
  names?.add(name)
}

function nameOf(quoted: string): string {
  if (!quoted.includes('\\')) return quoted.slice(1, -1)
  try {
    return String(JSON.parse(quoted))
  } catch {
    return quoted
  }
}
