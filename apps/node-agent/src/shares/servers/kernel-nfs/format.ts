import { FormatError, type Format } from '../declared-file.js'

interface ExportClient {
  readonly host: string
  readonly options: readonly string[]
}

/** One line of exports(5). */
export interface ExportLine {
  readonly path: string
  readonly clients: readonly ExportClient[]
}

const strangeSigns = /[^A-Za-z0-9/._-]/gu
const hostPattern = /^(?:\*|@[A-Za-z0-9_][A-Za-z0-9._-]*|(?:\*\.)?[A-Za-z0-9][A-Za-z0-9.-]*|[0-9.]+\/\d{1,2})$/
const optionPattern = /^[a-z_]+(?:=\d+)?$/

/** Writes and reads exports(5) as nfs-utils does, and refuses what nfs-utils would ignore without a message. */
export const exportsFormat: Format<readonly ExportLine[]> = {
  encode: (lines) => lines.map((line) => `${encodeLine(line)}\n`).join(''),
  parse: (text) =>
    text
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'))
      .map(parseLine),
}

function encodeLine({ path, clients }: ExportLine): string {
  if (!path.startsWith('/') || clients.length === 0) throw new FormatError('An export needs a path and a client.')
  return [encodePath(path), ...clients.map(encodeClient)].join(' ')
}

function encodePath(path: string): string {
  return path.replace(strangeSigns, (sign) => [...Buffer.from(sign)].map(octal).join(''))
}

function octal(byte: number): string {
  return `\\${byte.toString(8).padStart(3, '0')}`
}

function encodeClient({ host, options }: ExportClient): string {
  const wrong = options.find((option) => !optionPattern.test(option))
  if (!hostPattern.test(host) || wrong !== undefined)
    throw new FormatError(
      `A file in the format of exports(5) cannot contain the client ${JSON.stringify(wrong ?? host)}.`,
    )
  return `${host}(${options.join(',')})`
}

/** Parses a line. Refuses one that continues, quotes, has a comment, or lacks options or a client. */
function parseLine(line: string): ExportLine {
  if (/["#\r\t]|\\$/.test(line))
    throw new FormatError(`exportfs may not read this line as intended: ${JSON.stringify(line)}`)
  const [path = '', ...clients] = line.split(' ')
  return { path: decodePath(path), clients: clients.map(parseClient) }
}

function decodePath(text: string): string {
  const bytes: Buffer[] = []
  for (const [piece] of text.matchAll(/\\[0-7]{3}|[^\\]+|\\/g)) {
    if (piece === '\\')
      throw new FormatError('A path in exports(5) has a backslash that does not begin an octal escape.')
    bytes.push(piece.startsWith('\\') ? Buffer.of(Number.parseInt(piece.slice(1), 8)) : Buffer.from(piece))
  }
  const path = Buffer.concat(bytes).toString()
  if (!path.startsWith('/')) throw new FormatError('A line of exports(5) does not begin with a path.')
  return path
}

function parseClient(text: string): ExportClient {
  const [, host, options] = /^([^()]+)\(([^()]+)\)$/.exec(text) ?? []
  if (host === undefined || options === undefined)
    throw new FormatError(
      `exportfs would have to guess a client or its options from ${JSON.stringify(text)}. Write HOST(OPTIONS).`,
    )
  return { host, options: options.split(',') }
}
