import { stat } from 'node:fs/promises'
import type { Machine } from '../host/machine.js'
import type { GatewayState, Mounts } from './mounts.js'
import { sharePath } from './share-path.js'

export interface OperatorMountsOptions {
  readonly machine: Machine
  /** Holds a folder for each share, named by its id. */
  readonly directory: string
}

/** The operator mounts each container; the agent only looks whether the folder is there. */
export function createOperatorMounts({ machine, directory }: OperatorMountsOptions): Mounts {
  const pathOf: Mounts['pathOf'] = (share) => sharePath(directory, share)
  const requireFolders = async ({ shares }: GatewayState, behind: ReadonlySet<string> = new Set()) => {
    for (const share of shares)
      if (!behind.has(pathOf(share)) && !(await isFolder(machine.path(pathOf(share)))))
        throw new Error(
          `There is no folder ${pathOf(share)} for the share '${share.name}': mount its container ${share.objectstore_container} there first.`,
        )
  }
  return {
    pathOf,
    async plan(desired) {
      await requireFolders(desired)
      return { started: [], stopped: [], replaced: [], notes: [] }
    },
    start: requireFolders,
    holdBack: async () => {},
    settle: async () => [],
    abandon: async () => {},
    drift: async () => [],
    servedBy() {},
    open: async () => {},
    close: async () => {},
  }
}

async function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  )
}
