import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { repository } from '../http/control-plane.js'
import type { Swift } from '../swift/cluster.js'
import type { MachineProcess } from '../swift/machine.js'
import { addresses } from './gateway.js'

const program = join(repository, 'test/support/gateway/save-files.py')

/** What `save-files.py` does with the file of a number. */
export type Step =
  | readonly ['write', file: number, path: string, seed: number, bytes: number, isFlushed: boolean]
  | readonly ['rename', file: number, from: string, to: string]
  | readonly ['remove', file: number, path: string]
  | readonly ['wait', seconds: number]

export type Protocol = 'smb' | 'nfs'

/** A file that the share acknowledged with every step of its save. */
export interface SavedFile {
  readonly name: string
  readonly md5: string
}

export interface Saves {
  readonly saved: readonly SavedFile[]
  /** The errors that clients got for files that could not be saved. */
  readonly refused: readonly string[]
  /** Of the last step; Unix milliseconds. */
  readonly endedAt: number
  readonly slowestCallMs: number
}

/** How programs save: what exists before, and what they do to it. */
const savedBy: Readonly<Record<string, { readonly exists: boolean; steps(file: number, bytes: number): Step[] }>> = {
  plain: { exists: false, steps: (file, bytes) => [['write', file, nameOf(file), file, bytes, false]] },
  editor: {
    exists: true,
    steps: (file, bytes) => [
      ['write', file, `.${nameOf(file)}.swx`, file, bytes, true],
      ['rename', file, `.${nameOf(file)}.swx`, nameOf(file)],
    ],
  },
  office: {
    exists: true,
    steps: (file, bytes) => [
      ['write', file, `~WRD${file}.tmp`, file, bytes, true],
      ['rename', file, nameOf(file), `~WRL${file}.tmp`],
      ['rename', file, `~WRD${file}.tmp`, nameOf(file)],
      ['remove', file, `~WRL${file}.tmp`],
    ],
  },
  rsync: {
    exists: false,
    steps: (file, bytes) => [
      ['write', file, `.${nameOf(file)}.Xq${file}Zk`, file, bytes, false],
      ['rename', file, `.${nameOf(file)}.Xq${file}Zk`, nameOf(file)],
    ],
  },
  browser: {
    exists: false,
    steps: (file, bytes) => [
      ['write', file, `${nameOf(file)}.part`, file, bytes, false],
      ['rename', file, `${nameOf(file)}.part`, nameOf(file)],
    ],
  },
}

function nameOf(file: number): string {
  return `report-${String(file).padStart(4, '0')}.dat`
}

const everyProgram = Object.values(savedBy)
/** Programs that write new files only. */
export const newFilePrograms = everyProgram.filter(({ exists }) => !exists)

/** Steps that save so many files; the programs alternate. The first versions of those that are replaced are written before. */
export function savesOf(
  count: number,
  bytesOf: (file: number) => number = mixedSizes,
  programs = everyProgram,
): readonly Step[] {
  const files = Array.from({ length: count }, (_, file) => ({ file, by: programs[file % programs.length] }))
  const before = files.flatMap(({ file, by }): Step[] =>
    by?.exists ? [['write', file, nameOf(file), count + file, 4000, false]] : [],
  )
  return [...before, ...files.flatMap(({ file, by }) => by?.steps(file, bytesOf(file)) ?? [])]
}

/** Mostly small, every tenth 300 kB, every fiftieth 3 MB. */
function mixedSizes(file: number): number {
  if (file % 50 === 7) return 3_000_000
  return file % 10 === 3 ? 300_000 : 5_000 + file
}

/** Files of one size, written as they are; numbered from `first`. */
export function plainFiles(count: number, bytes: number, first = 0): readonly Step[] {
  return Array.from({ length: count }, (_, i) => ['write', first + i, nameOf(first + i), first + i, bytes, false])
}

interface DoneStep {
  readonly kind: Step[0]
  readonly file: number
  readonly path: string
  readonly at: number
  readonly md5: string | null
  readonly slowestMs: number
  readonly fault: string | null
}

export interface RunningSaves {
  readonly machineProcess: MachineProcess
  /** Steps that were done so far. */
  done(): number
  readonly ended: Promise<Saves>
}

/** Saves files over a protocol, by one client in one session. */
export async function saveFiles(
  { machine }: Swift,
  target: { readonly protocol: Protocol; readonly share: string; readonly bytesPerSecond?: number },
  steps: readonly Step[],
): Promise<RunningSaves> {
  const { protocol, share, bytesPerSecond } = target
  const file = join(machine.dir, `${share}-steps.json`)
  await writeFile(file, JSON.stringify(steps))
  const pace = bytesPerSecond === undefined ? [] : [String(bytesPerSecond)]
  const machineProcess = machine.spawn('python3', [program, protocol, addresses[0], share, file, ...pace])
  const lines = () =>
    machineProcess
      .output()
      .split('\n')
      .filter((line) => line.startsWith('{'))
  const ended = machineProcess.ended.then(() => {
    if (machineProcess.child.exitCode !== 0)
      throw new Error(`The client of ${share} failed: ${machineProcess.output().slice(-2000)}`)
    return savesOfSteps(lines().map((line) => JSON.parse(line)))
  })
  return { machineProcess, done: () => lines().length, ended }
}

function savesOfSteps(steps: readonly DoneStep[]): Saves {
  const faults = steps.filter(({ fault }) => fault !== null)
  const refused = new Set(faults.map(({ file }) => file))
  const md5s = new Map(steps.filter(({ kind }) => kind === 'write').map(({ file, md5 }) => [file, md5]))
  return {
    saved: [...md5s].flatMap(([file, md5]) => (md5 === null || refused.has(file) ? [] : [{ name: nameOf(file), md5 }])),
    refused: faults.map(({ kind, path, fault }) => `${kind} ${path}: ${fault}`),
    endedAt: Math.max(...steps.map(({ at }) => at)),
    slowestCallMs: Math.max(...steps.map(({ slowestMs }) => slowestMs)),
  }
}
