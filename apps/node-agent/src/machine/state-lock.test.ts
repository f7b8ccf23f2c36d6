import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { lockStateDirectory } from './state-lock.js'

/** Containers of some continuous integrations may not mount. */
const canMount = spawnSync('unshare', ['--mount', 'true']).status === 0
const program = `import { lockStateDirectory } from ${JSON.stringify(new URL('../../dist/machine/state-lock.js', import.meta.url))}
  console.log(await lockStateDirectory(process.argv[1]).then(() => 'locked', (error) => error.name))`

let root = ''
let [dir, other] = ['', '']
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'roost-lock-'))
  dir = join(root, 'agent')
  other = join(root, 'other')
  for (const one of [dir, other]) await mkdir(one)
})
afterEach(() => rm(root, { recursive: true }))

const used = 'Another agent already uses the state directory'
/** Waits until the kernel has let go of the sockets. */
const expectFree = (path: string) =>
  expect
    .poll(() =>
      lockStateDirectory(path).then(
        (unlock) => unlock(),
        () => 'locked',
      ),
    )
    .toBeUndefined()

it('lets one agent at a time work on a state directory, whatever its other path', async () => {
  const unlock = await lockStateDirectory(dir)
  await expect(lockStateDirectory(`${dir}/.`)).rejects.toThrow(`${used} ${dir}`)
  const unlockOther = await lockStateDirectory(other)
  unlock()
  await expectFree(dir)
  unlockOther()
})

it('is of the directory, which another agent may have at another path', async () => {
  const unlock = await lockStateDirectory(dir)
  await rename(dir, `${dir}-moved`)
  await expect(lockStateDirectory(`${dir}-moved`)).rejects.toThrow(used)
  unlock()
  await expectFree(`${dir}-moved`)
})

it('is also of the path, where the directory is replaced while an agent runs', async () => {
  const unlock = await lockStateDirectory(dir)
  await rename(dir, `${dir}-of-before`)
  await mkdir(dir)
  await expect(lockStateDirectory(dir)).rejects.toThrow(used)
  // What failed has left no lock of its own.
  await rename(dir, `${dir}-new`)
  await expectFree(`${dir}-new`)
  unlock()
})

it('meets an agent of 0.1', async () => {
  const former = createServer()
  former.listen(`\0roost-agent-${createHash('sha256').update(dir).digest('hex')}`)
  await once(former, 'listening')
  await expect(lockStateDirectory(dir)).rejects.toThrow(used)
  former.close()
  await expectFree(dir)
})

it.skipIf(!canMount)('is not of a path in another container, unless that has the same directory', async () => {
  const lockThere = (prepare: string) =>
    spawnSync(
      'unshare',
      [
        '--mount',
        'sh',
        '-ec',
        `${prepare}; exec "$@"`,
        'sh',
        process.execPath,
        '--input-type=module',
        '-e',
        program,
        dir,
      ],
      { encoding: 'utf8' },
    ).stdout
  const unlock = await lockStateDirectory(dir)
  expect(lockThere(`mount --bind ${other} ${dir}`)).toBe('locked\n')
  expect(lockThere('true')).toBe('StateLockedError\n')
  unlock()
})
