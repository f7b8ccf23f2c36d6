import type { Machine } from '../machine/machine.js'
import type { RunCommand } from '../machine/run-command.js'
import type { GatewayState, MissingShare, Mounts } from './desired/mounts.js'
import { sharePath } from './desired/share-path.js'

export interface OperatorMountsOptions {
  readonly machine: Machine
  readonly run: RunCommand
  /** Contains a folder for each share, named by its id. */
  readonly directory: string
}

const folderMs = 3_000

/** The operator mounts each container; the agent only checks that the folder exists. */
export function createOperatorMounts({ machine, run, directory }: OperatorMountsOptions): Mounts {
  const pathOf: Mounts['pathOf'] = (share) => sharePath(directory, share)
  const missing = async ({ shares }: GatewayState, kept: ReadonlySet<string> = new Set()) => {
    const found: MissingShare[] = []
    for (const share of shares) {
      const path = pathOf(share)
      if (kept.has(path) || (await isFolder(run, machine.path(path)))) continue
      const reason = `There is no folder ${path} for the share '${share.name}'. Mount its container ${share.objectstore_container} there.`
      found.push({ share: share.id, reason })
    }
    return found
  }
  return {
    pathOf,
    async plan(desired) {
      const notes = (await missing(desired)).map(({ reason }) => `${reason} Until then the share is not served.`)
      return { started: [], stopped: [], replaced: [], notes }
    },
    start: missing,
    keepUnchanged: async () => {},
    settle: async () => ({ missing: [], notes: [] }),
    abandon: async () => {},
    drift: async () => [],
    servedBy() {},
    open: async () => {},
    close: async () => {},
  }
}

/** Checks in another process, since the mount there may hang. */
async function isFolder(run: RunCommand, path: string): Promise<boolean> {
  return (await run('test', ['-d', path], { deadlineMs: folderMs })).exitCode === 0
}
