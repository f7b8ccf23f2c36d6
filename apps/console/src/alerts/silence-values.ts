import { controlPlaneAlertCodes } from '@roost/api-types/checks'
import { AlertSilenceChange, AlertSilenceInput, faultsOf } from '@roost/api-types/rest'
import type { AlertSilence } from '@roost/api-types/rest'
import type { Faults } from '../form/use-form.js'
import { timeIn } from '../form/spans.js'
import { display } from '../format/display.js'
import { inputOf, timeOfInput } from '../format/time.js'
import { t } from '../words/text.js'

export interface SilenceValues {
  /** Empty: every code. */
  readonly code: string
  /** Name of a host; empty: every node. */
  readonly node: string
  /** Id of one of its devices; empty: every device. */
  readonly device: string
  readonly subject: string
  /** Only in the cluster that the console shows; alerts of the control plane are of none. */
  readonly isOnlyHere: boolean
  /** As an input of times has it; empty: now. */
  readonly begins: string
  /** Seconds. */
  readonly for: string
  readonly until_worse: boolean
  readonly comment: string
}

interface Ids {
  readonly cluster: number
  /** Undefined: every node. */
  readonly node: number | undefined
}

/** Returns the silence that a form describes. */
export function silenceInput(values: SilenceValues, ids: Ids, now: number) {
  const begins = timeOfInput(values.begins, display().zone)
  return {
    matchers: {
      cluster: values.isOnlyHere && !controlPlaneAlertCodes.has(values.code) ? ids.cluster : null,
      node: ids.node ?? null,
      device: values.device === '' ? null : Number(values.device),
      code: values.code === '' ? null : values.code,
      subject: values.subject.trim() === '' ? null : values.subject.trim(),
    },
    until_worse: values.until_worse,
    ...(begins === undefined ? {} : { starts_at: begins }),
    ends_at: timeIn(values.for, begins === undefined ? now : Date.parse(begins)),
    comment: values.comment.trim(),
  }
}

/** Returns true for a silence that names nothing but the cluster: every alert of it becomes silent. */
export function isEverything({ code, node, device, subject, isOnlyHere }: SilenceValues): boolean {
  return isOnlyHere && [code, node, device, subject].every((text) => text.trim() === '')
}

/** The id of a node is known only when the form is saved. */
const someNode = 1

export function checkSilence(values: SilenceValues, cluster: number, now: number): Faults {
  const node = values.node.trim() === '' ? undefined : someNode
  const { matchers: code, ...faults } = faultsOf(AlertSilenceInput, silenceInput(values, { cluster, node }, now))
  return {
    ...faults,
    ...(code === undefined ? {} : { code }),
    ...(values.begins === '' ? {} : timeFaults('begins', values.begins)),
  }
}

/** Returns the sentence about an input of a time that has none. */
function timeFaults(name: string, text: string): Faults {
  return timeOfInput(text, display().zone) === undefined ? { [name]: [t('silences.noTime')] } : {}
}

/** What can be changed of a silence. */
export interface EndValues {
  /** As an input of times has it. */
  readonly ends_at: string
  readonly until_worse: boolean
  readonly comment: string
}

export function endValues({ ends_at, until_worse, comment }: AlertSilence): EndValues {
  return { ends_at: inputOf(ends_at, display().zone), until_worse, comment }
}

/** Returns the change. An end that was not changed keeps its seconds, which an input does not have. */
export function silenceChange(silence: AlertSilence, { ends_at: end, ...values }: EndValues) {
  const { zone } = display()
  const changed = end === inputOf(silence.ends_at, zone) ? undefined : timeOfInput(end, zone)
  return { ...values, comment: values.comment.trim(), ...(changed !== undefined && { ends_at: changed }) }
}

export function checkEnd(silence: AlertSilence, values: EndValues): Faults {
  return {
    ...faultsOf(AlertSilenceChange, silenceChange(silence, values)),
    ...timeFaults('ends_at', values.ends_at),
  }
}
