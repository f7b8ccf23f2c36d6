import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { runToEnd } from '../programs/processes.js'

/** With a compiler of their own: they do not run with that of this repository. */
const versions: Readonly<Record<string, string>> = {
  '@hey-api/openapi-ts': '0.95.0',
  'openapi-typescript': '7.13.0',
  'openapi-fetch': '0.17.0',
  typescript: '5.9.3',
}

const compilerOptions = {
  target: 'es2022',
  module: 'nodenext',
  lib: ['es2022', 'dom', 'dom.iterable'],
  types: [],
  rootDir: '.',
  outDir: 'out',
  strict: true,
}

const heyApi = {
  input: 'openapi.json',
  output: { path: 'hey', importFileExtension: '.js' },
  plugins: ['@hey-api/client-fetch', '@hey-api/typescript', '@hey-api/sdk'],
}

/** A project outside of this repository, in which clients are generated from `openapi.json`. */
export interface GeneratorProject {
  readonly dir: string
  /** Runs a program of one of the packages; throws what it wrote if it fails. */
  runModule(program: string, args: readonly string[]): Promise<void>
  /** Compiles a program together with the generated client that it imports; throws what the compiler wrote if it fails. */
  compile(source: string, name: string): Promise<void>
  /** Returns what the compiled program wrote to standard output, which must be JSON. */
  run(name: string, env: Readonly<Record<string, string>>): Promise<unknown>
  remove(): Promise<void>
}

/** Returns the folder with the generators, which stays for the next run; undefined if npm cannot install them. */
export async function installGenerators(): Promise<string | undefined> {
  const { XDG_CACHE_HOME: cache = join(homedir(), '.cache') } = process.env
  const folder = join(cache, `roost-generators-${Object.values(versions).join('-')}`)
  if (Object.keys(versions).every((name) => existsSync(join(folder, 'node_modules', name)))) return folder
  await mkdir(folder, { recursive: true })
  const packages = Object.entries(versions).map((one) => one.join('@'))
  const args = ['install', '--silent', '--prefer-offline', '--no-save', '--no-audit', '--prefix', folder, ...packages]
  const { code } = await runToEnd('npm', args, { cwd: folder, timeout: 200_000 })
  return code === 0 ? folder : undefined
}

export async function createGeneratorProject(generators: string): Promise<GeneratorProject> {
  const dir = await mkdtemp(join(generators, 'project-'))
  const modules = join(generators, 'node_modules')
  await writeFile(join(dir, 'package.json'), JSON.stringify({ name: 'generated', type: 'module', private: true }))
  await writeFile(join(dir, 'openapi-ts.config.json'), JSON.stringify(heyApi))
  const runModule = async (program: string, args: readonly string[]) => {
    const { code, stdout, stderr } = await runToEnd(process.execPath, [join(modules, program), ...args], { cwd: dir })
    if (code !== 0) throw new Error(`${program} failed:\n${stdout}\n${stderr}`)
  }
  return {
    dir,
    runModule,
    async compile(source, name) {
      await writeFile(join(dir, `${name}.ts`), source)
      await writeFile(join(dir, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: [`${name}.ts`] }))
      await runModule('typescript/bin/tsc', ['-p', '.'])
    },
    async run(name, env) {
      const { code, stdout, stderr } = await runToEnd(process.execPath, [`out/${name}.js`], { cwd: dir, env })
      if (code !== 0) throw new Error(`${name} failed:\n${stdout}\n${stderr}`)
      return JSON.parse(stdout) as unknown
    },
    remove: () => rm(dir, { recursive: true }),
  }
}
