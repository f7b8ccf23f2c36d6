import { createHash } from 'node:crypto'
import { appendFile, mkdir, readdir, readFile, readlink, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { DeploymentPlan, DesiredState, DriftedItem } from '@roost/api-types/agent'
import { fp } from '@roost/failpoints'
import type { Applier, Outcome } from '@roost/node-agent/dist/deployments/applier.js'

/** What the next generations come to. */
export interface FolderBehavior {
  outcome: 'applied' | 'failed' | 'rolled_back'
  /** Of a failure: one protocol has the new generation all the same. */
  partly?: boolean
  /** Of a failure: the same generation is applied again. */
  isIncomplete?: boolean
  /** The clients that lose their session. */
  sessionsLost?: DeploymentPlan['daemons'][number]['sessions_lost']
  /** What was left for later is done at the next check. */
  completed?: boolean
  /** Awaited in the middle of a generation. */
  halfway: () => Promise<void>
  /** Ends what `halfway` waits for. */
  release?: () => void
}

type Files = ReadonlyMap<string, string>

/**
 * Applies to a folder: a file for each share or user, all files of a generation in a folder of its own, to which
 * `current` points. It writes a line to `begun` whenever it begins, so that a test sees what was done twice.
 */
export function folderApplier<K extends DesiredState['kind']>(
  kind: K,
  dir: string,
  behavior: FolderBehavior = { outcome: 'applied', halfway: async () => {} },
): Applier<K> {
  return {
    kind,
    plan: async (desired) => planOf(await currentFiles(dir), filesOf(desired), behavior.sessionsLost),
    async apply(desired, generation, progress): Promise<Outcome> {
      await mkdir(dir, { recursive: true })
      await appendFile(join(dir, 'begun'), `${generation}\n`)
      progress('planned')
      const files = filesOf(desired)
      await stage(dir, generation, files)
      fp('agent.apply.afterStage')
      progress('staged')
      await behavior.halfway()
      fp('agent.apply.afterValidate')
      const { outcome, partly = false, isIncomplete = false } = behavior
      // Users are in force although tokens remain somewhere.
      if (partly && kind === 'user_db') await point(dir, generation)
      const failure = { in_force: await currentGeneration(dir), message: `The folder says ${outcome}.`, files: [] }
      if (outcome !== 'applied') return { outcome, ...failure, ...(partly ? { partly } : {}), isIncomplete }
      await point(dir, generation)
      fp('agent.apply.afterRename')
      fp('agent.apply.afterReload')
      return { outcome, in_force: generation, message: '', files: hashesOf(files) }
    },
    async complete() {
      const isComplete = behavior.completed === true
      const in_force = await currentGeneration(dir)
      return isComplete ? { outcome: 'applied', in_force, message: 'Completed.', files: [] } : null
    },
    async drift() {
      const generation = await currentGeneration(dir)
      const manifest = JSON.parse(await readFile(join(dir, `${generation}.json`), 'utf8')) as [string, string][]
      return driftOf(new Map(manifest), await currentFiles(dir))
    },
  }
}

/** The files in force, by name. */
export async function currentFiles(dir: string): Promise<Files> {
  const current = join(dir, 'current')
  const names: string[] = await readdir(current).catch(() => [])
  const read = names.toSorted().map(async (name) => [name, await readFile(join(current, name), 'utf8')] as const)
  return new Map(await Promise.all(read))
}

/** The generations that were begun with, in order. */
export async function startedGenerations(dir: string): Promise<readonly number[]> {
  const text = await readFile(join(dir, 'begun'), 'utf8').catch(() => '')
  return text.split('\n').filter(Boolean).map(Number)
}

export async function currentGeneration(dir: string): Promise<number> {
  return Number(await readlink(join(dir, 'current')).catch(() => 0))
}

function filesOf(desired: DesiredState): Files {
  if (desired.kind === 'user_db') return new Map(desired.users.map((user) => [user.user, `${user.is_superuser}\n`]))
  return new Map(desired.shares.map(({ id, name, access_mode }) => [`share-${id}`, `${name}\n${access_mode}\n`]))
}

async function stage(dir: string, generation: number, files: Files): Promise<void> {
  const folder = join(dir, String(generation))
  await rm(folder, { recursive: true, force: true })
  await mkdir(folder, { recursive: true })
  for (const [name, text] of files) await writeFile(join(folder, name), text)
  await writeFile(join(dir, `${generation}.json`), JSON.stringify([...files]))
}

async function point(dir: string, generation: number): Promise<void> {
  await rm(join(dir, 'next'), { force: true })
  await symlink(String(generation), join(dir, 'next'))
  await rename(join(dir, 'next'), join(dir, 'current'))
}

function planOf(before: Files, after: Files, sessions_lost: FolderBehavior['sessionsLost'] = []): DeploymentPlan {
  const names = [...new Set([...before.keys(), ...after.keys()])].toSorted()
  const changed = names.filter((path) => before.get(path) !== after.get(path))
  return {
    files: changed.map((path) => ({ path, change: changeOf(before, after, path), diff: diffOf(before, after, path) })),
    daemons: [{ daemon: 'folder', action: changed.length === 0 ? 'none' : 'reload', sessions_lost }],
    mounts: { started: [], stopped: [] },
    notes: [],
  }
}

function changeOf(before: Files, after: Files, path: string) {
  if (!before.has(path)) return 'create'
  return after.has(path) ? 'change' : 'remove'
}

function driftOf(before: Files, after: Files): DriftedItem[] {
  const names = [...new Set([...before.keys(), ...after.keys()])].toSorted()
  return names
    .filter((name) => before.get(name) !== after.get(name))
    .map((subject) => ({
      subject,
      message: 'It was changed by hand.',
      diff: diffOf(before, after, subject),
      ...adoptableOf(subject, after.get(subject)),
    }))
}

/** The fields that a share's file holds, when it holds no more. */
function adoptableOf(subject: string, text: string | undefined): Pick<DriftedItem, 'adoptable'> {
  const [, name, access] = /^(.+)\n(rw|ro)\n$/.exec(text ?? '') ?? []
  const id = Number(/^share-(\d+)$/.exec(subject)?.[1])
  if (name === undefined || access === undefined || Number.isNaN(id)) return {}
  return { adoptable: [{ id, fields: { name, access_mode: access } }] }
}

function diffOf(before: Files, after: Files, path: string): string {
  const lines = (text: string | undefined, sign: string) => (text ?? '').replaceAll(/^(?=.)/gm, sign)
  return `${lines(before.get(path), '-')}${lines(after.get(path), '+')}`
}

function hashesOf(files: Files): Outcome['files'] {
  return [...files].map(([path, text]) => ({ path, sha256: createHash('sha256').update(text).digest('hex') }))
}
