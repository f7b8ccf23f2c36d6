import {
  chmodSync,
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  utimesSync,
  lutimesSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'

/** Writes the files that a package installs below `tree`, with their modes and times, and returns `tree`. */
export function stage(repository, release, tree) {
  const { name, version, program, bundled, binary, key } = release
  const home = join(tree, 'usr/lib', name, version)
  cpSync(bundled, home, { recursive: true })
  for (const { from, to } of program.folders) cpSync(join(repository, from), join(home, to), { recursive: true })
  cpSync(binary.file, join(home, 'node'))
  put(join(home, 'package.json'), `${JSON.stringify({ name, version, private: true, type: 'module' }, null, 2)}\n`)
  put(join(home, 'release.pub'), key.pem)
  put(join(home, `bin/${name}.js`), `#!/usr/lib/${name}/${version}/node\nawait import('../dist/main.js')\n`)
  put(join(home, 'setup'), readPackaging(repository, release, 'setup'))
  link(join(tree, 'usr/bin', name), `../lib/${name}/current/bin/${name}.js`)
  for (const unit of program.units)
    put(join(tree, 'usr/lib/systemd/system', basename(unit)), readFileSync(join(repository, unit)))
  put(join(tree, `usr/lib/sysusers.d/${name}.conf`), readFileSync(join(repository, program.sysusers)))
  for (const example of program.examples)
    put(join(tree, 'usr/share/doc', name, 'examples', basename(example)), readFileSync(join(repository, example)))
  normalize(tree, release)
  return tree
}

/** Returns a file of deploy/packaging with the version of this release. */
export function readPackaging(repository, { name, version }, file) {
  return readFileSync(join(repository, 'deploy/packaging', name, file), 'utf8').replaceAll('@VERSION@', version)
}

function put(path, content) {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, content)
}

function link(path, target) {
  mkdirSync(dirname(path), { recursive: true })
  symlinkSync(target, path)
}

/** Sets modes and times, which otherwise depend on the clone and on the account that builds. */
function normalize(folder, { name, version, epoch }) {
  const executable = new Set([`usr/lib/${name}/${version}/node`, `usr/lib/${name}/${version}/setup`])
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true })
  for (const entry of entries.toReversed()) {
    const path = join(entry.parentPath ?? entry.path, entry.name)
    const inside = path.slice(folder.length + 1)
    if (entry.isSymbolicLink()) {
      lutimesSync(path, epoch, epoch)
      continue
    }
    const runs = entry.isDirectory() || executable.has(inside) || /\/bin\//.test(inside)
    chmodSync(path, runs ? 0o755 : 0o644)
    utimesSync(path, epoch, epoch)
  }
  chmodSync(folder, 0o755)
  utimesSync(folder, epoch, epoch)
}
