import { join } from 'node:path'
import { runTool } from './run-tool.js'
import { ownEntries } from './stage.js'

/** Builds the .tar.gz of a staged tree, which is unpacked into `/`, and returns its path. */
export function buildTar(item, tree, out) {
  const arch = item.arch === 'all' ? '' : `-linux-${item.arch}`
  const file = join(out, `${item.name}-${item.version}${arch}.tar.gz`)
  // Without the folders of the system, whose modes and times would change.
  const input = ownEntries(tree)
    .map(({ path }) => path)
    .join('\n')
  const owner = ['--owner=0', '--group=0', '--numeric-owner', '--format=gnu', '--no-recursion']
  const level = item.isCompressed ? '-1' : '-6'
  const args = [...owner, `--mtime=@${item.epoch}`, `--use-compress-program=gzip -n ${level}`]
  runTool('tar', ['-C', tree, ...args, '-cf', file, '--files-from=-'], 'tar', { input })
  return file
}
