/** What it said last, without the time. */
export function lastLine(log: string): string {
  const line = log.trim().split('\n').at(-1) ?? ''
  return line.replace(/^\d{4}\/\d\d\/\d\d \d\d:\d\d:\d\d (?:[A-Z]+ *: )?/, '').replace(/\.$/, '')
}

/** The port of its remote control; undefined until the log has it. */
export function portOf(log: string): number | undefined {
  const digits = /Serving remote control on http:\/\/127\.0\.0\.1:(\d+)\//.exec(log)?.[1]
  return digits === undefined ? undefined : Number(digits)
}

export interface FailedWrite {
  /** In rclone's cache. */
  readonly path: string
  /** Unix time of the end of the second in which it failed. */
  readonly failedAtMs: number
}

const outOfSpace =
  /^(\d{4})\/(\d\d)\/(\d\d) (\d\d):(\d\d):(\d\d) ERROR : IO error: (?:write|truncate) (.+): no space left on device$/

/** A write of a client that found no space; undefined for any other line. Its times are local ones. */
export function failedWriteOf(line: string): FailedWrite | undefined {
  const found = outOfSpace.exec(line)
  if (found === null) return undefined
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = found.slice(1, 7).map(Number)
  const startMs = new Date(year, month - 1, day, hour, minute, second).getTime()
  return { path: found[7] ?? '', failedAtMs: startMs + 999 }
}
