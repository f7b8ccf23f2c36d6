import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createFilesystems } from '../../machine/filesystems.js'
import { openMachine } from '../../machine/machine.js'
import type { RunCommand } from '../../machine/run-command.js'
import { createStatfsProbe } from '../../machine/statfs-probe.js'
import type { Collector, CollectorHost } from '../engine/collector.js'
import { readMemory } from '../engine/read-memory.js'
import type { SlowFile } from '../engine/slow-files.js'

type TestMachine = CollectorHost['machine']

export interface TestHostOptions {
  /** Changes the text of each file. */
  readonly edit?: (text: string) => string
  /** The files that do not answer. */
  readonly stuck?: readonly string[]
}

/** The time at which the second state of each fixture was read. */
export const fixtureTime = Date.parse('2026-11-20T11:24:50Z')

/**
 * Makes a machine from the files of a folder, such as `fixtures/linux-6.18/first`, or from texts by path. A folder's file
 * `statfs` has its filesystems. Every file was written 5 s before `fixtureTime`.
 */
export function testHost(
  from: string | Readonly<Record<string, string>>,
  options: TestHostOptions = {},
): CollectorHost {
  const { edit = (text) => text, stuck = [] } = options
  const source = typeof from === 'string' ? openMachine(from) : machineOf(from)
  const read: TestMachine['read'] = (path) => {
    const text = source.read(path)
    return text === undefined ? undefined : edit(text)
  }
  const machine: TestMachine = {
    // As in the engine.
    read: (path) => readMemory({ read }, path),
    list: (path) => source.list(path),
    // A clone of the repository has times of its own.
    modifiedAt: (path) => (source.modifiedAt(path) === undefined ? undefined : fixtureTime - 5_000),
  }
  return {
    machine,
    readSlowly: async (paths) =>
      new Map(paths.flatMap((path) => slowFile({ ...machine, read }, path, stuck.includes(path)))),
    filesystems: typeof from === 'string' ? filesystemsOf(from, { ...machine, read }) : { read: async () => [] },
  }
}

/** Reads a collector once, and returns its values by name. */
export async function valuesByName(collector: Collector, host: CollectorHost): Promise<Record<string, number>> {
  return Object.fromEntries((await collector.read(host)).map(({ name, value }) => [name, value]))
}

function machineOf(texts: Readonly<Record<string, string>>): TestMachine {
  const below = (path: string): readonly string[] =>
    Object.keys(texts).flatMap((file) => (file.startsWith(`${path}/`) ? [file.slice(path.length + 1)] : []))
  return {
    read: (path) => texts[path],
    list: (path) => [...new Set(below(path).map((rest) => rest.split('/')[0] as string))].toSorted(),
    modifiedAt: (path) => (path in texts || below(path).length > 0 ? 0 : undefined),
  }
}

function slowFile(machine: TestMachine, path: string, isStuck: boolean): readonly [string, SlowFile][] {
  if (isStuck) return [[path, { text: undefined, modifiedAt: Number.NaN, error: 'does not answer' }]]
  const text = machine.read(path)
  return text === undefined ? [] : [[path, { text, modifiedAt: machine.modifiedAt(path) ?? Number.NaN }]]
}

function filesystemsOf(folder: string, machine: TestMachine): CollectorHost['filesystems'] {
  const probe = createStatfsProbe({ run: statOf(folder) })
  return createFilesystems({ machine: { ...openMachine(folder), ...machine }, probe })
}

/** Answers with the line of the file `statfs`; a mount without a line hangs. */
function statOf(folder: string): RunCommand {
  const file = join(folder, 'statfs')
  const answers = existsSync(file) ? readFileSync(file, 'utf8').split('\n') : []
  return async (_file, args) => {
    const answer = answers.find((line) => line.startsWith(`${args.at(-1)} `))
    const stdout = answer?.slice(answer.indexOf(' ') + 1) ?? ''
    const outcome = answer === undefined ? 'timed_out' : 'exited'
    return { outcome, exitCode: answer === undefined ? null : 0, stdout, stderr: '', ended: Promise.resolve() }
  }
}
