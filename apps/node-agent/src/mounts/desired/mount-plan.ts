import type { MountPlan } from './mounts.js'
import type { MountChanges, MountSpec } from './mount-spec.js'

/** What the changes come to, as a deployment's plan tells it. */
export function planOf(changes: MountChanges, pathOf: (spec: MountSpec) => string): MountPlan {
  const begun = changes.replaced.map(({ after }) => after)
  const ended = [...changes.removed, ...changes.replaced.map(({ before }) => before)]
  return {
    started: [...changes.added, ...begun].map(pathOf).toSorted(),
    stopped: ended.map(pathOf).toSorted(),
    replaced: begun.map(({ share }) => share),
    notes: [
      ...begun.map((spec) => `The mount ${pathOf(spec)} begins anew: its clients lose the files that they have open.`),
      ...changes.removed.map(
        (spec) => `What was written to ${pathOf(spec)} and is not in Swift yet is uploaded before its mount ends.`,
      ),
    ],
  }
}
