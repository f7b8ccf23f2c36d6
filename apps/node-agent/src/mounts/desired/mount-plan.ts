import type { MountPlan } from './mounts.js'
import type { MountChanges, MountSpec } from './mount-spec.js'

/** Describes the changes for a deployment's plan. */
export function planOf(changes: MountChanges, pathOf: (spec: MountSpec) => string): MountPlan {
  const begun = changes.replaced.map(({ after }) => after)
  const ended = [...changes.removed, ...changes.replaced.map(({ before }) => before)]
  return {
    started: [...changes.added, ...begun].map(pathOf).toSorted(),
    stopped: ended.map(pathOf).toSorted(),
    replaced: begun.map(({ share }) => share),
    notes: [
      ...begun.map((spec) => `The mount ${pathOf(spec)} will be replaced, and its clients will lose their open files.`),
      ...changes.removed.map(
        (spec) => `Files of ${pathOf(spec)} that are not in Swift yet will be uploaded before it is unmounted.`,
      ),
    ],
  }
}
