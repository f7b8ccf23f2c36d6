import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  cpSync,
  lutimesSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { billOfMaterials, copyrightFile, listContents } from './contents.js'
import { fetchDatabase } from './node-binary.js'
import { repository } from './version.js'
import { readTemplate } from './templates.js'

/** Writes the files that the package of a program installs below `tree`. */
export function stageProgram(item, { bundled, packages, binary, key }, tree) {
  const { name, version, meta, epoch } = item
  const home = join(tree, 'usr/lib', name, version)
  cpSync(bundled, home, { recursive: true })
  for (const { from, to } of meta.folders) cpSync(join(repository, from), join(home, to), { recursive: true })
  for (const module of meta.modules) copyModule(module, home)
  const database = meta.hasDatabase ? copyDatabase(item.arch, home) : undefined
  cpSync(binary.file, join(home, 'node'))
  put(join(home, 'package.json'), `${JSON.stringify({ name, version, private: true, type: 'module' }, null, 2)}\n`)
  put(join(home, 'release.pub'), key.pem)
  put(join(home, `bin/${name}.js`), `#!/usr/lib/${name}/${version}/node\nawait import('../dist/main.js')\n`)
  put(join(home, 'setup'), readTemplate(`${name}/setup`, item))
  link(join(tree, 'usr/bin', name), `../lib/${name}/current/bin/${name}.js`)
  for (const unit of meta.units) copy(unit, join(tree, 'usr/lib/systemd/system', basename(unit)))
  copy(meta.sysusers, join(tree, `usr/lib/sysusers.d/${name}.conf`))
  for (const file of meta.tmpfiles) copy(file, join(tree, `usr/lib/tmpfiles.d/${name}.conf`))
  const program = join(repository, meta.app, 'bin', `${name}.js`)
  for (const { args, to } of meta.reference) put(join(tree, to), execFileSync(process.execPath, [program, ...args]))
  for (const example of meta.examples) copy(example, join(tree, 'usr/share/doc', name, 'examples', basename(example)))
  const contents = listContents({ packages: [...packages, ...meta.contains.flatMap(listedPackages)], binary, database })
  put(join(home, 'sbom.cdx.json'), `${JSON.stringify(billOfMaterials(item, contents), null, 1)}\n`)
  const license = readFileSync(join(repository, 'LICENSE'), 'utf8')
  put(join(tree, 'usr/share/doc', name, 'copyright'), copyrightFile(license, contents))
  normalize(tree, epoch)
}

/** Copies what is read at run time of a package of npm. */
function copyModule({ name, in: dependent, files }, home) {
  const from = join(repository, dependent, 'node_modules', name)
  for (const file of ['package.json', ...files])
    cpSync(realpathSync(join(from, file)), join(home, 'node_modules', name, file), { recursive: true })
}

/** Returns the packages that a build has put into its files. */
function listedPackages({ folder, list }) {
  const home = join(repository, folder)
  return JSON.parse(readFileSync(join(home, list), 'utf8')).map((path) => {
    const folder = join(home, path)
    return { folder, manifest: JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) }
  })
}

/** Copies PostgreSQL for an architecture, without its static libraries, and returns its package. */
function copyDatabase(arch, home) {
  const { folder, name } = fetchDatabase(arch)
  cpSync(folder, join(home, 'node_modules', name), {
    recursive: true,
    verbatimSymlinks: true,
    filter: (path) => !path.endsWith('.a'),
  })
  return { folder, manifest: JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) }
}

function put(path, content) {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, content)
}

function copy(file, path) {
  put(path, readFileSync(join(repository, file)))
}

function link(path, target) {
  mkdirSync(dirname(path), { recursive: true })
  symlinkSync(target, path)
}

/** Sets modes and times, which otherwise depend on the clone and on the account that builds. */
export function normalize(tree, epoch) {
  for (const { path, entry } of [...walk(tree)].toReversed())
    if (entry.isSymbolicLink()) lutimesSync(path, epoch, epoch)
    else {
      chmodSync(path, entry.isDirectory() || isProgram(path) ? 0o755 : 0o644)
      utimesSync(path, epoch, epoch)
    }
  chmodSync(tree, 0o755)
  utimesSync(tree, epoch, epoch)
}

function isProgram(path) {
  return ['node', 'setup'].includes(basename(path)) || basename(dirname(path)) === 'bin'
}

/** Returns the bytes of all files below a folder. */
export function sizeOf(folder) {
  return walk(folder).reduce((sum, { path, entry }) => sum + (entry.isFile() ? statSync(path).size : 0), 0)
}

/** Folders that belong to the system, and to no package. */
const shared = new Set(
  'usr usr/bin usr/lib usr/lib/systemd usr/lib/systemd/system usr/lib/sysusers.d usr/lib/tmpfiles.d usr/share usr/share/doc usr/share/man usr/share/man/man1 usr/share/bash-completion usr/share/bash-completion/completions usr/share/zsh usr/share/zsh/vendor-completions usr/share/fish usr/share/fish/vendor_completions.d'.split(
    ' ',
  ),
)

/** Returns what a package owns of a tree, by path below it: the files, and the folders that only this package has. */
export function ownEntries(tree) {
  return walk(tree)
    .map(({ path, entry }) => ({ path: path.slice(tree.length + 1), entry }))
    .filter(({ path }) => !shared.has(path))
    .toSorted((a, b) => (a.path < b.path ? -1 : 1))
}

/** Returns everything below a folder, each folder before what it contains. */
export function walk(folder) {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true })
  return entries.map((entry) => ({ path: join(entry.parentPath ?? entry.path, entry.name), entry }))
}
