const hourMs = 3_600_000
const dayMs = 24 * hourMs

/** The kinds of owners of chunks. */
export const ownerKinds = { node: 0, cluster: 1 } as const

/** Whose history it is. */
export interface Owner {
  readonly kind: number
  readonly id: number
}

export type LevelName = 'raw' | '5min' | 'hour'

/** How finely a table keeps the history. Raw readings come as chunks of the agents, the others are made from the finer one. */
export interface Level {
  readonly number: number
  readonly name: LevelName
  readonly table: string
  /** Between two points. */
  readonly stepMs: number
  /** What a row of the table covers at most. */
  readonly rowMs: number
  /** Columns of a row for each metric: the values, or mean, minimum and maximum. */
  readonly planes: 1 | 3
  /** Digits of a date, without hyphens, that name a partition: 8 for a day, 6 for a month, 4 for a year. */
  readonly partitionDigits: 8 | 6 | 4
}

/** How far back each level is kept. */
export interface KeptFor {
  readonly rawMs: number
  readonly fiveMinutesMs: number
  readonly hourMs: number
}

/** No window of an agent is longer, so that a query knows how far before its start to look. */
export const longestWindowMs = 900_000
/** The clock of a node may differ by so much; chunks beyond are refused, because their rows would not be found by time. */
export const longestShiftMs = hourMs

export const raw: Level = {
  number: 0,
  name: 'raw',
  table: 'metric_raw',
  stepMs: 10_000,
  rowMs: longestWindowMs,
  planes: 1,
  partitionDigits: 8,
}

export const fiveMinutes: Level = {
  number: 1,
  name: '5min',
  table: 'metric_5min',
  stepMs: 300_000,
  rowMs: 6 * hourMs,
  planes: 3,
  partitionDigits: 6,
}

export const hour: Level = {
  number: 2,
  name: 'hour',
  table: 'metric_hour',
  stepMs: hourMs,
  rowMs: dayMs,
  planes: 3,
  partitionDigits: 4,
}

/** Returns the beginning of the row of a level that has this time. */
export function rowStart({ rowMs }: Level, timeMs: number): number {
  return Math.floor(timeMs / rowMs) * rowMs
}
