import { printable, systemClock } from '@roost/runtime'
import type { Clock } from '@roost/runtime'
import type { Terminal } from './terminal.js'

/** A line of progress on standard error, which only a terminal has, and only once a command has taken two seconds. */
export interface Progress {
  /** Sets what is under way, with the part of it that is done, of 100, where that is known. */
  show(text: string, percent?: number): void
  /** Prints a line that stays, above the progress. It may come from outside. */
  print(line: string): void
  /** Removes the line. It is not shown again. */
  end(): void
}

const showAfterMs = 2_000
const redrawMs = 1_000
const barWidth = 20
const eraseLine = '\r\u001B[K'

export function createProgress(
  { err, style, stopping }: Pick<Terminal, 'err' | 'style' | 'stopping'>,
  clock: Clock = systemClock,
): Progress {
  const isPossible = err.isTTY && !style.quiet
  const startedAt = clock.monotonic()
  let latest: readonly [text: string, percent: number | undefined] | undefined
  let isShown = false
  let cancel = isPossible ? clock.after(showAfterMs, begin) : () => {}
  const draw = () => {
    if (!isShown || latest === undefined) return
    const [text, percent] = latest
    const seconds = Math.floor((clock.monotonic() - startedAt) / 1_000)
    const line = percent === undefined ? `${text} (${seconds} s)` : `${text} ${barOf(percent)} ${Math.floor(percent)} %`
    err.write(`${eraseLine}${printable(line).slice(0, (err.columns || 80) - 1)}`)
  }
  function begin(): void {
    isShown = true
    draw()
    cancel = clock.after(redrawMs, begin)
  }
  const end = () => {
    cancel()
    if (isShown && latest !== undefined) err.write(eraseLine)
    isShown = false
    stopping.removeEventListener('abort', end)
  }
  stopping.addEventListener('abort', end, { once: true })
  return {
    end,
    show(text, percent) {
      latest = [text, percent]
      draw()
    },
    print(line) {
      err.write(`${isShown && latest !== undefined ? eraseLine : ''}${printable(line)}\n`)
      draw()
    },
  }
}

/** Shows the progress of work until it ends. */
export async function withProgress<T>(
  terminal: Pick<Terminal, 'err' | 'style' | 'stopping'>,
  text: string,
  work: (progress: Progress) => Promise<T>,
): Promise<T> {
  const progress = createProgress(terminal)
  progress.show(text)
  try {
    return await work(progress)
  } finally {
    progress.end()
  }
}

function barOf(percent: number): string {
  const done = Math.round((Math.min(100, Math.max(0, percent)) / 100) * barWidth)
  return `[${'#'.repeat(done)}${'.'.repeat(barWidth - done)}]`
}
