import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, readFile, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { repository } from './control-plane.js'
import { runToEnd } from '../programs/processes.js'
import type { ProcessResult } from '../programs/processes.js'

/** A Node project that knows nothing of this repository, in which the packed typed client is installed. */
export interface OutsideProject {
  /** Compiles TypeScript as a careful project does, every check on, and answers what the compiler said. */
  compile(name: string, source: string): Promise<ProcessResult>
  /** Runs what was compiled; one that does not end by itself has no exit code. */
  run(name: string, env: Readonly<Record<string, string>>): Promise<ProcessResult>
  remove(): Promise<void>
}

const compilerOptions = {
  target: 'es2022',
  module: 'nodenext',
  types: ['node'],
  rootDir: '.',
  outDir: 'out',
  strict: true,
  noUncheckedIndexedAccess: true,
  exactOptionalPropertyTypes: true,
}
const clientPackage = join(repository, 'packages/api-types')

export async function createOutsideProject(): Promise<OutsideProject> {
  const dir = await mkdtemp(join(tmpdir(), 'roost-outside-'))
  const packages = await pack(join(dir, 'packages'))
  await writeFile(join(dir, 'package.json'), JSON.stringify({ name: 'outside', type: 'module', private: true }))
  // The compiler, which is a peer of tRPC's packages, is the one of this repository.
  await runOrThrow('npm', ['install', '--offline', '--legacy-peer-deps', '--no-audit', '--no-fund', ...packages], dir)
  const tsc = join(repository, 'node_modules/typescript/bin/tsc')
  return {
    async compile(name, source) {
      await writeFile(join(dir, `${name}.ts`), source)
      await writeFile(join(dir, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: [`${name}.ts`] }))
      return runToEnd(process.execPath, [tsc, '-p', dir], { cwd: dir })
    },
    run: (name, env) => runToEnd(process.execPath, [`out/${name}.js`], { cwd: dir, env, timeout: 120_000 }),
    remove: () => rm(dir, { recursive: true }),
  }
}

/** The package as it would be published, and those that it needs as they lie in this clone: no registry is asked. */
async function pack(destination: string): Promise<readonly string[]> {
  await mkdir(destination)
  await runOrThrow('npx', ['--yes', 'pnpm@12.21.0', 'pack', '--pack-destination', destination], clientPackage)
  const needed = new Set<string>()
  await gather(clientPackage, needed)
  await gather(join(clientPackage, 'node_modules/@types/node'), needed, true)
  for (const [index, folder] of [...needed].entries()) {
    const archive = join(destination, `${index}.tgz`) // as from a registry: all in one folder, whatever its name
    await runOrThrow(
      'tar',
      ['--hard-dereference', '-czf', archive, '-C', dirname(folder), basename(folder)],
      destination,
    )
  }
  return (await readdir(destination)).map((name) => join(destination, name))
}

/** The folders of all that a package depends on, at any remove. */
async function gather(link: string, found: Set<string>, isNeededItself = false): Promise<void> {
  const folder = await realpath(link)
  if (found.has(folder)) return
  if (isNeededItself) found.add(folder)
  const { dependencies = {} } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as Manifest
  for (const name of Object.keys(dependencies)) await gather(folderOf(name, folder), found, true)
}

interface Manifest {
  readonly dependencies?: Readonly<Record<string, string>>
}

function folderOf(name: string, from: string): string {
  const folder = join(from, 'node_modules', name)
  return existsSync(folder) ? folder : folderOf(name, dirname(from))
}

async function runOrThrow(program: string, args: readonly string[], cwd: string): Promise<void> {
  const { code, stdout, stderr } = await runToEnd(program, args, { cwd, timeout: 200_000 })
  if (code !== 0) throw new Error(`${program} ${args.join(' ')} failed:\n${stdout}\n${stderr}`)
}
