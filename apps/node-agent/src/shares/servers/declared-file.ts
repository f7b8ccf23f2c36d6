import { createHash } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'

/** A file of ours as it is to be, whole. */
export interface DeclaredFile {
  readonly path: string
  readonly mode: number
  /** The text without the header, which decides whether a generation changes the file. */
  readonly body: string
  /** The header and the body, as they are written. */
  readonly content: string
}

/** How a server's configuration is written and read. Reading is what the server would make of the text, or throws. */
export interface Format<Model> {
  encode(model: Model): string
  parse(text: string): Model
}

/** A text that a server may read differently from what it should say; nothing of it is written. */
export class FormatError extends Error {
  override readonly name = 'FormatError'
}

/** Encodes the model, reads the text back, and declares the file only when both are the same. */
export function declareFile<Model>(
  path: string,
  format: Format<Model>,
  model: Model,
  generation: number,
): DeclaredFile {
  const body = format.encode(model)
  const content = `${header(body, generation)}${body}`
  if (!isDeepStrictEqual(format.parse(content), model))
    throw new FormatError(`${path} would be read differently by its server.`)
  return { path, mode: 0o644, body, content }
}

/** As a deployment leaves it that has no share for the server; no deployment has the generation 0. */
export const fileWithoutShares = header('', 0)

/** `#` begins a comment in every format that Roost writes. */
function header(body: string, generation: number): string {
  const hash = createHash('sha256').update(body).digest('hex')
  return `# Written by Roost: the next deployment writes over what is changed here.\n# generation ${generation}, sha256 of what follows ${hash}\n\n`
}
