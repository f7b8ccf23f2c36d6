/** `warning`: an operator should act in the next days. `critical`: data or service is at risk now. */
export type Severity = 'warning' | 'critical'

/** What a problem is about. Its `subject` names one of them. */
export type SubjectKind =
  | 'cluster'
  | 'control_plane'
  | 'daemon'
  | 'deployment'
  | 'device'
  | 'directory'
  | 'file'
  | 'filesystem'
  | 'metric'
  | 'node'
  | 'policy'
  | 'ring'
  | 'server'
  | 'share'
  | 'url'

/** What a problem endangers. Of two problems of one severity, that of the first of these is more urgent. */
export const endangered = ['data', 'service', 'redundancy', 'space', 'upkeep'] as const
export type Endangered = (typeof endangered)[number]

/** What a check found, in sentences for an operator. */
export interface Finding {
  readonly subject: string
  /** Says what is wrong, with the value. */
  readonly sentence: string
  /** Says what to do. */
  readonly remedy: string
  /** Replaces the severity of the check, where it depends on the facts. */
  readonly severity?: Severity
  /** The number that the check compared with its limit. */
  readonly value?: number
  readonly threshold?: number
}

/** A problem of a node, or a reason of the health of a cluster. */
export interface Problem {
  readonly code: string
  readonly severity: Severity
  readonly subject: string
  /** The sentence and the remedy. */
  readonly message: string
  readonly remedy: string
  /** The number that the check compared with its limit; absent where it compares none. */
  readonly value?: number | undefined
  readonly threshold?: number | undefined
}

/** What the value and the threshold of a check are. */
export interface Measure {
  /** With its unit, such as `seconds since the last pass`. */
  readonly what: string
  /** It gets worse by the time alone while the problem lasts. */
  readonly isAge?: true
}

/** How the problem of a check becomes an alert. */
export interface AlertDefaults {
  /** The code of the alert, such as `DEVICE_UNMOUNTED`: that of the check in capitals, unless said. */
  readonly code?: string
  /** Seconds for which it must last before the alert fires. */
  readonly forSeconds: number
}

/** One entry of the list. */
export interface Check<F> {
  /** The name under which operators search for it and alerts are configured; never changed. */
  readonly code: string
  readonly severity: Severity
  readonly about: SubjectKind
  readonly endangers: Endangered
  /** Says what it means for data or service. */
  readonly effect: string
  /** Present where it compares a number with a limit. */
  readonly measure?: Measure
  /** Its alert fires at once, unless said. */
  readonly alert?: AlertDefaults
  /** Judges facts that somebody else has read. Answers none, or one problem. */
  find(facts: F): readonly Problem[]
}

export interface Definition<F> extends Omit<Check<F>, 'find'> {
  /** Returns undefined where the facts are in order or unknown. It reads no clock, file or memory. */
  readonly judge: (facts: F) => Finding | undefined
}

/** Returns the severity of a problem that has two limits, and the limit that it is beyond. */
export function levelOf(
  isCritical: boolean,
  limits: Readonly<Record<Severity, number>>,
): { readonly severity: Severity; readonly threshold: number } {
  const severity = isCritical ? 'critical' : 'warning'
  return { severity, threshold: limits[severity] }
}

/** Makes a check of a pure function. */
export function check<F>({ judge, ...definition }: Definition<F>): Check<F> {
  return {
    ...definition,
    find(facts) {
      const found = judge(facts)
      if (found === undefined) return []
      const { sentence, severity = definition.severity, ...rest } = found
      return [{ code: definition.code, ...rest, severity, message: `${sentence} ${rest.remedy}` }]
    },
  }
}
