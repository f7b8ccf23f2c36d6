/** A file that a device, a disk or a network answers. */
export interface SlowFile {
  /** Undefined while the file does not answer, or answers with an error: its metrics keep their names without values. */
  readonly text: string | undefined
  /** The time of the last write in Unix milliseconds; NaN without an answer. */
  readonly modifiedAt: number
  readonly error?: string
}

export interface SlowAnswer {
  readonly files: Map<string, SlowFile>
  /** The number of files that were read to their end. */
  readonly finished: number
}

/** A file of one line, which never blocks: it is read after each other file, so that a partial answer shows how far it came. */
const endOfFile = '/proc/sys/kernel/ostype'

/** These files are left out, like files that are missing in `Machine.read`. */
const closed = /^(?:No such file or directory|Not a directory|Permission denied)$/

/** Parses the lines `time path`, `path NUL line` and `grep: path: message`; `names` leads from a real path to the collector's. */
export function parseSlowFiles(answer: string, names: ReadonlyMap<string, string>): SlowAnswer {
  const files = new Map<string, SlowFile>()
  let finished = 0
  for (const line of answer.split('\n')) {
    const end = line.indexOf('\0')
    const path = line.slice(0, Math.max(0, end))
    if (path === endOfFile) finished++
    else if (path !== '') addLine(files, names.get(path), line.slice(end + 1))
    else if (line.startsWith('grep: ')) addError(files, names, line.slice('grep: '.length))
    else addTime(files, names, line)
  }
  return { files, finished }
}

function addTime(files: Map<string, SlowFile>, names: ReadonlyMap<string, string>, line: string): void {
  const blank = line.indexOf(' ')
  const name = names.get(line.slice(blank + 1))
  if (name !== undefined) files.set(name, { text: '', modifiedAt: Number(line.slice(0, blank)) * 1_000 })
}

function addLine(files: Map<string, SlowFile>, name: string | undefined, line: string): void {
  const file = name === undefined ? undefined : files.get(name)
  if (name !== undefined && file !== undefined) files.set(name, { ...file, text: `${file.text}${line}\n` })
}

function addError(files: Map<string, SlowFile>, names: ReadonlyMap<string, string>, line: string): void {
  const colon = line.lastIndexOf(': ')
  const name = names.get(line.slice(0, Math.max(0, colon)))
  const error = line.slice(colon + 2)
  if (name === undefined) return
  if (closed.test(error)) files.delete(name)
  else files.set(name, { text: undefined, modifiedAt: Number.NaN, error })
}

/** Describes the first file without a text. */
export function slowFault(files: ReadonlyMap<string, SlowFile>): string | undefined {
  for (const [path, { error }] of files) if (error !== undefined) return `${path}: ${error}`
  return undefined
}
