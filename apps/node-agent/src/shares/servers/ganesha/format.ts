import { FormatError, type Format } from '../declared-file.js'

/** The kinds of values that ganesha's scanner distinguishes. */
const kinds = {
  boolean: /^(?:yes|true|on|no|false|off)$/i,
  number: /^(?:0|[1-9]\d*)$/,
  fsid: /^(?:0|[1-9]\d*)\.(?:0|[1-9]\d*)$/,
  everyone: /^(?:\*|0\.0\.0\.0)$/,
  address: /^\d{1,3}(?:\.\d{1,3}){3}(?:\/(?:0|[1-9]\d?))?$/,
  netgroup: /^@[A-Za-z_][A-Za-z0-9_.-]*$/,
  keyword: /^[A-Za-z_][A-Za-z0-9._-]*$/,
  wildcard: /^\*\.[A-Za-z0-9._-]+$/,
} as const

/** `text` is quoted, the others stand bare. */
export interface GaneshaValue {
  readonly kind: keyof typeof kinds | 'text'
  readonly text: string
}

export interface GaneshaSetting {
  readonly name: string
  readonly values: readonly GaneshaValue[]
}

export interface GaneshaBlock {
  readonly name: string
  readonly settings: readonly GaneshaSetting[]
  readonly blocks: readonly GaneshaBlock[]
}

/** nfs-ganesha's configuration: blocks of settings and blocks. Settings of a block stand before its blocks. */
export const ganeshaFormat: Format<readonly GaneshaBlock[]> = {
  encode: (blocks) => blocks.map((block) => encodeBlock(block, '')).join('\n'),
  parse: (text) => new Reader(tokensOf(text)).file(),
}

/** Returns the kind of a bare value as the server reads it; undefined for a value that it cannot read. */
export function ganeshaKind(text: string): GaneshaValue['kind'] | undefined {
  const entries = Object.entries(kinds) as [keyof typeof kinds, RegExp][]
  return entries.find(([, pattern]) => pattern.test(text))?.[0]
}

// No quotation mark, no backslash, nothing that is not printed.
const quotable = /^[ !#-[\]-~]*$/

function encodeBlock({ name, settings, blocks }: GaneshaBlock, indent: string): string {
  const inner = `${indent}  `
  const lines = settings.map((setting) => `${inner}${setting.name} = ${setting.values.map(encodeValue).join(', ')};\n`)
  return `${indent}${name} {\n${lines.join('')}${blocks.map((block) => encodeBlock(block, inner)).join('')}${indent}}\n`
}

function encodeValue({ kind, text }: GaneshaValue): string {
  if (kind === 'text' ? !quotable.test(text) : ganeshaKind(text) !== kind)
    throw new FormatError(`The configuration of nfs-ganesha cannot contain ${JSON.stringify(text)} as a ${kind}.`)
  return kind === 'text' ? `"${text}"` : text
}

/** Splits a text into punctuation, quoted texts and bare tokens; comments reach from `#` to the end of their line. */
function tokensOf(text: string): readonly string[] {
  const tokens: string[] = []
  for (const [token] of text.matchAll(/#.*|"[^"\\\n]*"|[{}=,;]|[^\s{}=,;"#]+|\S/g)) {
    if (token === '"')
      throw new FormatError('A quoted string in the configuration of nfs-ganesha has no closing quote on its line.')
    if (!token.startsWith('#')) tokens.push(token)
  }
  return tokens
}

class Reader {
  readonly #tokens: readonly string[]
  #at = 0

  constructor(tokens: readonly string[]) {
    this.#tokens = tokens
  }

  file(): readonly GaneshaBlock[] {
    const blocks: GaneshaBlock[] = []
    while (this.#at < this.#tokens.length) blocks.push(this.#block(this.#name()))
    return blocks
  }

  #block(name: string): GaneshaBlock {
    const settings: GaneshaSetting[] = []
    const blocks: GaneshaBlock[] = []
    this.#expect('{')
    while (this.#tokens[this.#at] !== '}') {
      const inner = this.#name()
      if (this.#tokens[this.#at] === '{') blocks.push(this.#block(inner))
      else settings.push(this.#setting(inner))
    }
    this.#at += 1
    const names = settings.map((setting) => setting.name.toLowerCase())
    if (new Set(names).size < names.length)
      throw new FormatError(`A setting appears twice in a block ${name} of the configuration of nfs-ganesha.`)
    return { name, settings, blocks }
  }

  #setting(name: string): GaneshaSetting {
    this.#expect('=')
    const values = [this.#value()]
    while (this.#tokens[this.#at] === ',') {
      this.#at += 1
      values.push(this.#value())
    }
    this.#expect(';')
    return { name, values }
  }

  #name(): string {
    const token = this.#next()
    if (!/^[A-Za-z_][A-Za-z0-9_-]*$/.test(token))
      throw new FormatError(`${JSON.stringify(token)} is not the name of a setting of nfs-ganesha.`)
    return token
  }

  #value(): GaneshaValue {
    const token = this.#next()
    if (token.startsWith('"')) return { kind: 'text', text: token.slice(1, -1) }
    const kind = ganeshaKind(token)
    if (kind === undefined) throw new FormatError(`nfs-ganesha cannot read the value ${JSON.stringify(token)}.`)
    return { kind, text: token }
  }

  #expect(sign: string): void {
    const token = this.#next()
    if (token !== sign)
      throw new FormatError(`nfs-ganesha expects ${sign} instead of ${JSON.stringify(token)} in its configuration.`)
  }

  #next(): string {
    const token = this.#tokens[this.#at]
    if (token === undefined) throw new FormatError('The configuration of nfs-ganesha ends in the middle of a block.')
    this.#at += 1
    return token
  }
}
