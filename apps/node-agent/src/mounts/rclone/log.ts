/** Returns what rclone logged last, without the time. */
export function lastLine(log: string): string {
  const line = log.trim().split('\n').at(-1) ?? ''
  return line.replace(/^\d{4}\/\d\d\/\d\d \d\d:\d\d:\d\d(?:\.\d{6})? (?:[A-Z]+ *: )?/, '').replace(/\.$/, '')
}

/** Returns the port of rclone's remote control; undefined until the log has it. */
export function portOf(log: string): number | undefined {
  const digits = /Serving remote control on http:\/\/127\.0\.0\.1:(\d+)\//.exec(log)?.[1]
  return digits === undefined ? undefined : Number(digits)
}

export interface FailedWrite {
  /** Path in rclone's cache. */
  readonly path: string
  /** Unix time, with microseconds; the latest possible one if the log has seconds only. */
  readonly failedAtMs: number
}

const outOfSpace =
  /^(\d{4})\/(\d\d)\/(\d\d) (\d\d):(\d\d):(\d\d)(?:\.(\d{6}))? ERROR : IO error: (?:write|truncate) (.+): no space left on device$/
/** The kernel's times of files are up to one tick old, 10 ms at 100 Hz. */
const tickMs = 10

/**
 * Returns the write of a client that found no space; undefined for any other line. Its times are local ones. Mounts of earlier
 * versions of the agent log seconds only; `logWrittenAtMs`, the mtime of the log, is then the better bound.
 */
export function failedWriteOf(line: string, logWrittenAtMs: number): FailedWrite | undefined {
  const found = outOfSpace.exec(line)
  if (found === null) return undefined
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = found.slice(1, 7).map(Number)
  const startMs = new Date(year, month - 1, day, hour, minute, second).getTime()
  const [, , , , , , , microseconds, path = ''] = found
  if (microseconds !== undefined) return { path, failedAtMs: startMs + Number(microseconds) / 1_000 }
  return { path, failedAtMs: Math.min(startMs + 999, logWrittenAtMs + tickMs) }
}
