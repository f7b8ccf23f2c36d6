import { chmod, mkdir, mkdtemp, readFile, readdir, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { readManagedFile, removeManagedFile, writeManagedFile } from './managed-file.js'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'roost-managed-'))
})
afterEach(async () => rm(folder, { recursive: true }))

describe('writeManagedFile', () => {
  it('makes and replaces a file that only its owner reads', async () => {
    const path = join(folder, 'identity.json')
    await writeManagedFile(path, 'one')
    await chmod(path, 0o644)
    await writeManagedFile(path, new Uint8Array([116, 119, 111]))
    expect(await readFile(path, 'utf8')).toBe('two')
    expect((await stat(path)).mode & 0o777).toBe(0o600)
    expect(await readdir(folder)).toEqual(['identity.json'])
  })

  it('gives the mode that is asked for, whatever the umask', async () => {
    const path = join(folder, 'public')
    const before = process.umask(0o077)
    await writeManagedFile(path, '', 0o644)
    process.umask(before)
    expect((await stat(path)).mode & 0o777).toBe(0o644)
  })

  it('is not led astray by what a killed writer, or an attacker, left behind', async () => {
    const path = join(folder, 'file')
    await writeFile(join(folder, 'elsewhere'), 'untouched')
    await symlink(join(folder, 'elsewhere'), `${path}.new`)
    await writeManagedFile(path, 'new')
    expect(await readFile(join(folder, 'elsewhere'), 'utf8')).toBe('untouched')
    expect((await stat(path)).mode & 0o777).toBe(0o600)
  })

  it('leaves the old file and nothing else when it cannot write, and names the path', async () => {
    const path = join(folder, 'taken')
    await mkdir(join(path, 'full'), { recursive: true })
    await expect(writeManagedFile(path, 'x')).rejects.toThrow(`Cannot write ${path}: `)
    await expect(writeManagedFile(join(folder, 'missing', 'x'), 'x')).rejects.toThrow('ENOENT')
    expect(await readdir(folder)).toEqual(['taken'])
  })
})

it('reads nothing where there is no file, and says why it cannot read another', async () => {
  expect(await readManagedFile(join(folder, 'none'))).toBeUndefined()
  await expect(readManagedFile(folder)).rejects.toThrow('EISDIR')
})

it('removes a file, and does not mind when there is none', async () => {
  const path = join(folder, 'spooled')
  await writeManagedFile(path, 'x')
  await removeManagedFile(path)
  await removeManagedFile(path)
  expect(await readdir(folder)).toEqual([])
})
