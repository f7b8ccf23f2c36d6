import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openMachine } from './machine.js'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'roost-machine-'))
  await mkdir(join(folder, 'root/proc/net'), { recursive: true })
})
afterEach(async () => rm(folder, { recursive: true }))

describe('a machine under a root', () => {
  it('reads, lists and follows links below it', async () => {
    const machine = openMachine(join(folder, 'root'))
    await writeFile(join(folder, 'root/proc/loadavg'), '0.1 0.2 0.3')
    await symlink('../loadavg', join(folder, 'root/proc/net/link'))
    expect(machine.read('/proc/loadavg')).toBe('0.1 0.2 0.3')
    expect(machine.read('/proc/net/link')).toBe('0.1 0.2 0.3')
    expect(machine.list('/proc')).toEqual(['loadavg', 'net'])
    expect(machine.link('/proc/net/link')).toBe('../loadavg')
  })

  it('reads a file that is longer than the buffer', async () => {
    const text = 'intr 123 '.repeat(40_000)
    await writeFile(join(folder, 'root/proc/stat'), text)
    expect(openMachine(join(folder, 'root')).read('/proc/stat')).toBe(text)
  })

  it('takes what is missing for nothing, and everything else for a fault', () => {
    const machine = openMachine(join(folder, 'root'))
    expect(machine.read('/proc/none')).toBeUndefined()
    expect(machine.read('/proc/none/deeper')).toBeUndefined()
    expect(machine.list('/sys/block')).toEqual([])
    expect(machine.link('/proc')).toBeUndefined()
    expect(() => machine.read('/proc')).toThrow('EISDIR')
  })

  it('never leaves the root, neither by dots nor by links', async () => {
    const machine = openMachine(join(folder, 'root'))
    await writeFile(join(folder, 'secret'), 'secret')
    await symlink(join(folder, 'secret'), join(folder, 'root/proc/absolute'))
    await symlink('../../secret', join(folder, 'root/proc/relative'))
    await symlink(folder, join(folder, 'root/proc/above'))
    expect(machine.read('/../secret')).toBeUndefined()
    expect(machine.read('/proc/absolute')).toBeUndefined()
    expect(machine.read('/proc/relative')).toBeUndefined()
    expect(machine.list('/proc/above')).toEqual([])
    fc.assert(
      fc.property(fc.array(fc.constantFrom('..', '.', 'a', '', '/', 'b/../..')), (parts) =>
        `${machine.path(parts.join('/'))}/`.startsWith(`${machine.root}/`),
      ),
    )
  })
})

it('says so of a root that is not there', () => {
  const sentence = 'The root /nowhere/at/all cannot be read (ENOENT): check --root, or root in the configuration.'
  expect(() => openMachine('/nowhere/at/all')).toThrow(sentence)
})

it('reads the real machine without a root', () => {
  expect(openMachine().path('/proc/stat')).toBe('/proc/stat')
  expect(openMachine().read('/proc/uptime')).toMatch(/^\d+\.\d+ \d/)
})
