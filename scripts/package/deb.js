import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { runTool } from './run-tool.js'
import { sizeOf } from './stage.js'
import { readTemplate } from './templates.js'

const scripts = ['preinst', 'postinst', 'prerm', 'postrm']

/** Builds the .deb of a staged tree, and returns its path. */
export function buildDeb(item, tree, out) {
  const control = join(tree, 'DEBIAN')
  mkdirSync(control)
  const sizeKb = Math.ceil(sizeOf(tree) / 1024)
  writeFileSync(join(control, 'control'), readTemplate('control', { ...item, sizeKb }))
  for (const script of item.hasScripts ? scripts : [])
    writeFileSync(join(control, script), readTemplate(script, item), { mode: 0o755 })
  const file = join(out, `${item.name}_${item.version}_${item.arch}.deb`)
  // zstd: a sixth of the time of xz, which saves another fifth of the size. Every system that Roost supports reads it.
  const compression = item.isCompressed ? ['-Znone'] : ['-Zzstd', '-z12']
  const args = ['--root-owner-group', '--uniform-compression', ...compression, '--build', tree, file]
  runTool('dpkg-deb', args, 'dpkg', { env: { ...process.env, SOURCE_DATE_EPOCH: String(item.epoch) } })
  rmSync(control, { recursive: true })
  return file
}
