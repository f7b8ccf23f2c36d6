import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { architectures } from './products.js'
import { runTool } from './run-tool.js'
import { ownEntries } from './stage.js'
import { readTemplate } from './templates.js'

/** Builds the .rpm of a staged tree, and returns its path. */
export function buildRpm(item, tree, out) {
  const arch = item.arch === 'all' ? 'noarch' : architectures[item.arch].rpm
  const work = mkdtempSync(join(tmpdir(), 'roost-rpm-'))
  try {
    const spec = join(work, 'package.spec')
    writeFileSync(
      spec,
      readTemplate('package.spec', {
        ...item,
        files: ownEntries(tree).map(({ path, entry }) => `${entry.isDirectory() ? '%dir ' : ''}"/${path}"`),
      }),
    )
    // rpmbuild empties the root that it builds in: it gets links to the files.
    const root = join(work, 'root')
    runTool('cp', ['-al', tree, root], 'coreutils')
    const defines = { _topdir: work, _rpmdir: work, _build_name_fmt: 'built.rpm', buildroot: root }
    if (item.isCompressed) defines['_binary_payload'] = 'w0.gzdio'
    const flags = Object.entries(defines).flatMap(([key, value]) => ['--define', `${key} ${value}`])
    const args = ['-bb', '--quiet', '--noclean', '--target', `${arch}-linux`, '--buildroot', root, ...flags, spec]
    runTool('rpmbuild', args, 'rpm', { env: { ...process.env, SOURCE_DATE_EPOCH: String(item.epoch), HOME: work } })
    const file = join(out, `${item.name}-${item.version}-1.${arch}.rpm`)
    runTool('mv', [join(work, 'built.rpm'), file], 'coreutils')
    return file
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
}
