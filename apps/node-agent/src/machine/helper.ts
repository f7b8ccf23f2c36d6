import type { Socket } from 'node:net'
import { abandon, startConversation } from './run-command.js'

/** A program that stays and answers each line on its input, with a line of its own at the end of the answer. */
export interface Helper {
  /** Asks once more; one question at a time. Never rejects. Who does not answer in time is killed. */
  ask(deadlineMs: number): Promise<HelperAnswer>
  /** Resolves when the process is gone, which for a task that hangs in the kernel may be never. */
  readonly ended: Promise<void>
  close(): void
}

export interface HelperAnswer {
  readonly outcome: 'answered' | 'timed_out' | 'ended'
  /** Its output since the question, without the end mark; complete only where it answered. */
  readonly stdout: string
}

export type StartHelper = (file: string, args: readonly string[]) => Helper

/** The last line of an answer. */
export const helperEndMark = '.'
const maxAnswer = 8 << 20

/**
 * A fork of ours copies the tables of 60 MB of memory, and afterwards each page that is written: a shell that stays and
 * forks for us spends a third of the CPU.
 */
export const startHelper: StartHelper = (file, args) => {
  const child = startConversation(file, args)
  let answer = ''
  let settle: ((outcome: HelperAnswer['outcome']) => void) | undefined
  let isOver = false
  const ended = new Promise<void>((resolve) => {
    const end = (): void => {
      isOver = true
      settle?.('ended')
      resolve()
    }
    child.once('exit', end)
    child.once('error', end)
  })
  child.stdin.on('error', () => {}) // it ended, as `exit` says
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    answer += text
    if (isComplete(answer)) settle?.('answered')
    else if (answer.length > maxAnswer) abandon(child)
  })
  child.unref() // it must not hold our exit
  for (const pipe of [child.stdin, child.stdout]) (pipe as Socket).unref()

  function ask(deadlineMs: number): Promise<HelperAnswer> {
    return new Promise((resolve) => {
      answer = ''
      const deadline = setTimeout(() => settle?.('timed_out'), deadlineMs)
      settle = (outcome) => {
        settle = undefined
        clearTimeout(deadline)
        if (outcome === 'timed_out') abandon(child)
        resolve({ outcome, stdout: isComplete(answer) ? answer.slice(0, -helperEndMark.length - 1) : answer })
      }
      if (isOver) settle('ended')
      else child.stdin.write('\n')
    })
  }
  return { ask, ended, close: () => abandon(child) }
}

export interface KeptHelper {
  /** Asks one question at a time. `ended` resolves when the process that was asked has ended. */
  ask(more: readonly string[], deadlineMs: number): Promise<HelperAnswer & Pick<Helper, 'ended'>>
  close(): void
}

/** Keeps one helper while its further arguments, which it is asked about, are the same and it answers; then starts another one. */
export function keepHelper(start: StartHelper, [file, ...args]: readonly [string, ...string[]]): KeptHelper {
  let kept: { readonly helper: Helper; readonly more: readonly string[] } | undefined
  const close = (): void => {
    kept?.helper.close()
    kept = undefined
  }
  return {
    close,
    async ask(more, deadlineMs) {
      if (kept && !isSame(kept.more, more)) close()
      kept ??= { helper: start(file, [...args, ...more]), more }
      const { helper } = kept
      const answer = await helper.ask(deadlineMs)
      if (answer.outcome !== 'answered') kept = undefined
      return { ...answer, ended: helper.ended }
    },
  }
}

function isSame(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((item, i) => item === b[i])
}

function isComplete(answer: string): boolean {
  return answer === `${helperEndMark}\n` || answer.endsWith(`\n${helperEndMark}\n`)
}
