import { onTestFinished } from 'vitest'
import { slowReaders } from '../../collectors/engine/slow-reader.js'
import { startHelper } from '../../machine/helper.js'
import type { Machine } from '../../machine/machine.js'
import { runCommand } from '../../machine/run-command.js'
import type { BlockReader } from '../disks.js'

/** Reads files by a real helper until the end of the test. A busy machine takes seconds to start a process. */
export function slowFiles(machine: Machine): Omit<BlockReader, 'kernel'> {
  const reader = slowReaders({ machine, run: runCommand, start: startHelper, deadlineMs: 45_000 })()
  onTestFinished(() => reader.close())
  return { readSlowly: reader.read, monotonic: () => performance.now() }
}
