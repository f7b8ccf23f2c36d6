import { existsSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'

export type PackageFormat = 'deb' | 'rpm' | 'tar'

/** What the name of a package file says. */
export interface PackageName {
  readonly file: string
  readonly name: 'roost' | 'roost-agent'
  readonly version: string
  readonly arch: 'amd64' | 'arm64'
  readonly format: PackageFormat
}

export interface PackageFile extends PackageName {
  readonly path: string
}

/** Where `roost-agent-packages` installs the packages of the agent. */
const installedFolder = '/usr/share/roost/packages'

const patterns: readonly (readonly [PackageFormat, RegExp])[] = [
  ['deb', /^(roost|roost-agent)_(\d[\w.+~-]*)_(amd64|arm64)\.deb$/],
  ['rpm', /^(roost|roost-agent)-(\d[\w.+~-]*)-1\.(x86_64|aarch64)\.rpm$/],
  ['tar', /^(roost|roost-agent)-(\d[\w.+~-]*)-linux-(amd64|arm64)\.tar\.gz$/],
]
const architectures: Readonly<Record<string, PackageName['arch']>> = { x86_64: 'amd64', aarch64: 'arm64' }

/** Reads the name of a package that `npm run package` makes; undefined for every other file. */
export function parsePackageName(file: string): PackageName | undefined {
  for (const [format, pattern] of patterns) {
    const [, name, version = '', arch = ''] = pattern.exec(file) ?? []
    if (name === undefined) continue
    return {
      file,
      name: name as PackageName['name'],
      // dpkg and rpm write a version before a release with a tilde.
      version: version.replaceAll('~', '-'),
      arch: architectures[arch] ?? (arch as PackageName['arch']),
      format,
    }
  }
  return undefined
}

/** The folder of `roost packages add`. */
export function ownFolder(dataDir: string): string {
  return join(dataDir, 'packages')
}

/** The clone that this program runs from; undefined for an installed one. */
const clone = findClone()

function findClone(): string | undefined {
  const folder = join(import.meta.dirname, '../../../..')
  return existsSync(join(folder, 'pnpm-workspace.yaml')) ? folder : undefined
}

/** How an operator gets packages of the agent. */
export const missingPackages = describeMissing(clone)

/** Returns how an operator of an installed program, or of one that runs from a clone, gets packages of the agent. */
export function describeMissing(folder: string | undefined): string {
  return folder === undefined
    ? 'For one line that installs it, install the package roost-agent-packages on the control plane, or add a package with: roost packages add FILE'
    : 'For one line that installs it, make its packages in the clone with: npm run package'
}

/** The folders with packages, the first of which wins: a file that was added, those of `roost-agent-packages`, and those that a clone has made. */
export function packageFolders(dataDir: string): readonly string[] {
  const made = clone === undefined ? [] : [join(clone, 'dist/packages')]
  return [ownFolder(dataDir), installedFolder, ...made]
}

/** Lists the packages of the folders by name; a folder that does not exist has none. */
export async function packageFiles(folders: readonly string[]): Promise<readonly PackageFile[]> {
  const found = new Map<string, PackageFile>()
  for (const folder of folders)
    for (const file of await readdir(folder).catch(() => [])) {
      const name = parsePackageName(file)
      if (name !== undefined && !found.has(file)) found.set(file, { ...name, path: join(folder, file) })
    }
  return [...found.values()].toSorted((one, other) => one.file.localeCompare(other.file))
}
