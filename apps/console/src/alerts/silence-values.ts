import { controlPlaneAlertCodes } from '@roost/api-types/checks'
import { AlertSilenceInput, faultsOf } from '@roost/api-types/rest'
import type { Faults } from '../form/use-form.js'
import { timeIn } from '../form/spans.js'

export interface SilenceValues {
  /** Empty: every code. */
  readonly code: string
  /** Name of a host; empty: every node. */
  readonly node: string
  readonly subject: string
  /** Only in the cluster that the console shows; alerts of the control plane are of none. */
  readonly isOnlyHere: boolean
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

/** Returns a silence that begins now. */
export function silenceInput(values: SilenceValues, ids: Ids, now: number) {
  return {
    matchers: {
      cluster: values.isOnlyHere && !controlPlaneAlertCodes.has(values.code) ? ids.cluster : null,
      node: ids.node ?? null,
      code: values.code === '' ? null : values.code,
      subject: values.subject.trim() === '' ? null : values.subject.trim(),
    },
    until_worse: values.until_worse,
    ends_at: timeIn(values.for, now),
    comment: values.comment.trim(),
  }
}

/** Returns true for a silence that names nothing but the cluster: every alert of it becomes silent. */
export function isEverything({ code, node, subject, isOnlyHere }: SilenceValues): boolean {
  return isOnlyHere && [code, node, subject].every((text) => text.trim() === '')
}

/** The id of a node is known only when the form is saved. */
const someNode = 1

export function checkSilence(values: SilenceValues, cluster: number, now: number): Faults {
  const node = values.node.trim() === '' ? undefined : someNode
  const { matchers: code, ...faults } = faultsOf(AlertSilenceInput, silenceInput(values, { cluster, node }, now))
  return { ...faults, ...(code === undefined ? {} : { code }) }
}
