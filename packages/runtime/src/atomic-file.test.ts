import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { commitStagedFile, removeStagedFile, stageFile, writeFileAtomically } from './atomic-file.js'

let dir = ''
let path = ''
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'roost-atomic-'))
  path = join(dir, 'file')
})
afterEach(() => rm(dir, { recursive: true }))

it('replaces a file, with the mode that was asked for and nothing left beside it', async () => {
  await writeFile(path, 'old', { mode: 0o600 })
  await writeFile(`${path}.new`, 'of a killed writer', { mode: 0o666 })
  await writeFileAtomically(path, 'new', { mode: 0o644 })
  expect(await readFile(path, 'utf8')).toBe('new')
  expect((await stat(path)).mode & 0o777).toBe(0o644)
  expect(await readdir(dir)).toEqual(['file'])
})

it('keeps the old file when it fails before the rename', async () => {
  await writeFile(path, 'old')
  const beforeRename = () => {
    throw new Error('killed')
  }
  await expect(writeFileAtomically(path, 'new', { mode: 0o600, beforeRename })).rejects.toThrow('killed')
  expect(await readFile(path, 'utf8')).toBe('old')
  expect(await readdir(dir)).toEqual(['file'])
})

it('stages a file until it is committed or removed', async () => {
  await stageFile(path, 'first', { mode: 0o600 })
  await expect(stat(path)).rejects.toThrow('ENOENT')
  await commitStagedFile(path)
  expect(await readFile(path, 'utf8')).toBe('first')
  await stageFile(path, 'second', { mode: 0o600 })
  await removeStagedFile(path)
  expect(await readdir(dir)).toEqual(['file'])
})
