import { mountOutdated } from '@roost/api-types/checks'
import type { Clock } from '@roost/runtime'
import type { NodeProblems } from '../../machine/problems.js'
import type { MountStore } from '../desired/mount-store.js'
import type { Restarts } from '../started/restarts.js'
import type { StartedMounts } from '../started/started-mounts.js'

export interface OutdatedMountsOptions {
  readonly store: MountStore
  readonly mounts: StartedMounts
  readonly restarts: Restarts
  readonly problems: NodeProblems
  /** Reads the names of deployed shares by the paths of their folders. */
  readonly readNames: () => Promise<Readonly<Record<string, string>>>
  readonly clock: Clock
}

/** Each check reads files of every mount. */
const checkEveryMs = 15_000

/** Returns the check that finds mounts which an earlier version of the agent started with other arguments, and has them restarted. */
export function outdatedMountsCheck(options: OutdatedMountsOptions): () => Promise<void> {
  const { store, mounts, restarts, problems, readNames, clock } = options
  let checkedAtMs = -Infinity
  return async () => {
    if (clock.monotonic() - checkedAtMs < checkEveryMs) return
    checkedAtMs = clock.monotonic()
    const outdated = await restarts.requestWhere(store.record.settled, 'mount_outdated', (spec) =>
      mounts.isOutdated(spec),
    )
    const names = outdated.length === 0 ? {} : await readNames()
    problems.set(
      'outdated mounts',
      outdated.flatMap((spec) => {
        const path = mounts.pathOf(spec)
        return mountOutdated.find({ share: names[path] ?? path })
      }),
    )
  }
}
