import { existsSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { runTool } from './run-tool.js'
import { readPackaging } from './stage.js'

const scripts = ['preinst', 'postinst', 'prerm', 'postrm']

/** Builds the .deb of a staged tree, and returns its path. */
export function buildDeb(repository, release, tree, out) {
  const control = join(tree, 'DEBIAN')
  mkdirSync(control)
  const sizeKb = Math.ceil(sizeOf(tree) / 1024)
  writeFileSync(join(control, 'control'), controlFile(repository, release, sizeKb))
  for (const script of scripts)
    if (existsSync(join(repository, 'deploy/packaging', release.name, script)))
      writeFileSync(join(control, script), readPackaging(repository, release, script), { mode: 0o755 })
  const file = join(out, `${release.name}_${release.version}_${release.arch}.deb`)
  // zstd: a fifth of the time of xz, which saves another fifth of the size. Every system that Roost supports reads it.
  const args = ['--root-owner-group', '--uniform-compression', '-Zzstd', '-z12', '--build', tree, file]
  runTool('dpkg-deb', args, 'dpkg', { env: { ...process.env, SOURCE_DATE_EPOCH: String(release.epoch) } })
  rmSync(control, { recursive: true })
  return file
}

function controlFile(repository, release, sizeKb) {
  return readPackaging(repository, release, 'control')
    .replaceAll('@ARCHITECTURE@', release.arch)
    .replaceAll('@INSTALLED_SIZE@', String(sizeKb))
}

/** Returns the bytes of all files below a folder. */
export function sizeOf(folder) {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  return files.reduce((sum, entry) => sum + statSync(join(entry.parentPath ?? entry.path, entry.name)).size, 0)
}
