import type { InventoryDevice, InventoryProblem } from '@roost/api-types/agent'
import { asyncPending } from '@roost/api-types/checks'
import type { Machine } from '../../machine/machine.js'
import type { RunCommand } from '../../machine/run-command.js'

const deadlineMs = 10_000
/** 20,000 names; the oldest of more is found among them. */
const mostBytes = 1 << 20

/** Lists the files below `async_pending*` of a device, without reading its other folders. */
const script = `cd "$1" && exec find . -mindepth 1 -maxdepth 3 -path './*' ! -path './async_pending*' -prune -o -type f -print`

export interface Waiting {
  /** Null where there are more than were read. */
  readonly count: number | null
  /** Unix seconds; null where none waits. */
  readonly oldest: number | null
}

/** Parses paths such as `./async_pending-1/a83/<hash>-1795170738.06000`; the time in a name is that of the write that waits. */
export function parseWaiting(text: string, isComplete: boolean): Waiting {
  const times = [...text.matchAll(/-(\d{10}\.\d{5})[^/\n]*$/gm)].map(([, time]) => Number(time))
  const oldest = times.reduce((least, time) => Math.min(least, time), Infinity)
  return { count: isComplete ? times.length : null, oldest: oldest === Infinity ? null : oldest }
}

export interface OldUpdatesOptions {
  readonly machine: Machine
  readonly run: RunCommand
  readonly devices: () => readonly InventoryDevice[]
  /** Returns Unix milliseconds. */
  readonly now: () => number
}

/** Finds updates that wait too long on each device that works, one device at a time, in processes that may hang. */
export function createOldUpdates({ machine, run, devices, now }: OldUpdatesOptions) {
  /** Devices whose process hangs: there is never a second one. */
  const hanging = new Set<string>()
  return async (): Promise<readonly InventoryProblem[]> => {
    const problems: InventoryProblem[] = []
    for (const { name: device, status, mount_point, policies } of devices()) {
      if (status !== 'ok' || mount_point === null || policies.length === 0 || hanging.has(mount_point)) continue
      hanging.add(mount_point)
      const args = ['-c', script, 'sh', machine.path(mount_point)]
      const { outcome, stdout, ended } = await run('sh', args, { deadlineMs, maxOutputBytes: mostBytes })
      void ended.then(() => hanging.delete(mount_point))
      const { count, oldest } = parseWaiting(stdout, outcome === 'exited')
      const oldestSeconds = oldest === null ? null : now() / 1_000 - oldest
      problems.push(...asyncPending.find({ device, count, oldestSeconds }))
    }
    return problems
  }
}
