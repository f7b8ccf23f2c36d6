import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { lockStateDirectory } from './state-lock.js'

it('lets one agent at a time work on a state directory, whatever its other path', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'roost-lock-'))
  const other = await mkdtemp(join(tmpdir(), 'roost-lock-'))
  const unlock = await lockStateDirectory(dir)
  await expect(lockStateDirectory(`${dir}/.`)).rejects.toThrow(`Another agent already uses the state directory ${dir}`)
  const unlockOther = await lockStateDirectory(other)
  unlock()
  await expect
    .poll(() =>
      lockStateDirectory(dir).then(
        (free) => free(),
        () => 'locked',
      ),
    )
    .toBeUndefined()
  unlockOther()
  for (const made of [dir, other]) await rm(made, { recursive: true })
})

it('is of the directory, not of its path, which another container has, too', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'roost-lock-'))
  const unlock = await lockStateDirectory(dir)
  await rename(dir, `${dir}-of-the-other`)
  await mkdir(dir)
  const unlockOther = await lockStateDirectory(dir)
  await expect(lockStateDirectory(`${dir}-of-the-other`)).rejects.toThrow('Another agent already uses')
  for (const end of [unlock, unlockOther]) end()
  for (const made of [dir, `${dir}-of-the-other`]) await rm(made, { recursive: true })
})
