import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { CommandError, exitCodes } from './exit-codes.js'
import type { Terminal } from './terminal.js'

export interface ConfirmFlags {
  readonly yes?: boolean
}

/** The option of commands that lose something. */
export const yesFlag = ['-y, --yes', 'do not ask'] as const

/** Reads a line from the terminal; an empty one at its end. */
export async function ask(terminal: Terminal, question: string): Promise<string> {
  terminal.err.write(question)
  const lines = createInterface({ input: terminal.in, terminal: false })
  try {
    const [line] = (await Promise.race([
      once(lines, 'line'),
      once(lines, 'close').then(() => ['']),
      once(terminal.stopping, 'abort').then(() => ['']),
    ])) as [string]
    return line.trim()
  } finally {
    lines.close()
  }
}

/** On a terminal, asks for the name of what would be lost. Scripts are not asked, as before. */
export async function confirmLoss(
  terminal: Terminal,
  { yes = false }: ConfirmFlags,
  { loss, name }: { readonly loss: string; readonly name: string },
): Promise<void> {
  if (yes || terminal.style.isDryRun || !terminal.in.isTTY) return
  const answer = await ask(terminal, `${loss}\nType ${name} to go on: `)
  if (answer !== name) throw new CommandError('Not confirmed. Nothing was changed.', exitCodes.declined)
}

/** Asks a question that is answered by yes or no. Without a terminal `--yes` is needed. */
export async function confirmYes(terminal: Terminal, { yes = false }: ConfirmFlags, question: string): Promise<void> {
  if (yes) return
  if (!terminal.in.isTTY)
    throw new CommandError('Nothing was changed. Pass --yes to go on without a terminal.', exitCodes.usage)
  const answer = await ask(terminal, `${question} [y/N] `)
  if (!/^y(?:es)?$/i.test(answer)) throw new CommandError('Not confirmed. Nothing was changed.', exitCodes.declined)
}
