/** What it said last, without the time. */
export function lastLine(log: string): string {
  const line = log.trim().split('\n').at(-1) ?? ''
  return line.replace(/^\d{4}\/\d\d\/\d\d \d\d:\d\d:\d\d (?:[A-Z]+ *: )?/, '').replace(/\.$/, '')
}

/** The port of its remote control; undefined until it has told. */
export function portOf(log: string): number | undefined {
  const digits = /Serving remote control on http:\/\/127\.0\.0\.1:(\d+)\//.exec(log)?.[1]
  return digits === undefined ? undefined : Number(digits)
}
