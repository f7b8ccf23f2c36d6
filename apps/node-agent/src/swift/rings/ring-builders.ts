import type { Machine } from '../../machine/machine.js'
import { assetPath } from '../../machine/package.js'
import type { RunCommand } from '../../machine/run-command.js'
import { unlessDenied } from '../../machine/try-read.js'

/** Returns the min_part_hours of a builder file, which a ring does not have; undefined where the file is not there or not readable. */
export type ReadMinPartHours = (path: string) => Promise<number | undefined>

/** A builder of a million partitions takes seconds. */
const deadlineMs = 30_000

/** Reads builder files by a program that refuses what Swift does not write. A file that has not changed is not read again. */
export function createBuilderReader(machine: Machine, run: RunCommand): ReadMinPartHours {
  const known = new Map<string, { readonly stamp: string; readonly hours: number | undefined }>()
  return async (path) => {
    const stamp = unlessDenied(() => machine.stamp(path))
    if (stamp === undefined) return undefined
    const before = known.get(path)
    if (before?.stamp === stamp) return before.hours
    const { stdout } = await run('python3', [assetPath('read-builder.py'), machine.path(path)], { deadlineMs })
    const hours = parseHours(stdout)
    known.set(path, { stamp, hours })
    return hours
  }
}

function parseHours(answer: string): number | undefined {
  const found = /^\{"min_part_hours": (\d{1,9})\}$/.exec(answer.trim())?.[1]
  return found === undefined ? undefined : Number(found)
}
