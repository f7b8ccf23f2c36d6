import { createInterface } from 'node:readline'
import { Writable } from 'node:stream'
import { text } from 'node:stream/consumers'

/** Reads the first line of standard input. On a terminal it prompts and does not echo. */
export async function readSecret(question: string, input: NodeJS.ReadStream, err: NodeJS.WriteStream): Promise<string> {
  if (!input.isTTY) return (await text(input)).split('\n', 1)[0]?.trim() ?? ''
  err.write(question)
  const discarded = new Writable({ write: (_chunk, _encoding, done) => done() })
  const lines = createInterface({ input, output: discarded, terminal: true })
  try {
    return await new Promise<string>((resolve) => {
      lines.once('line', (line) => resolve(line.trim()))
      lines.once('close', () => resolve(''))
    })
  } finally {
    lines.close()
    err.write('\n')
  }
}
