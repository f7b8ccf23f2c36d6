import { cpSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openMachine } from '../../machine/machine.js'
import { readRings, type RingCache } from './read-rings.js'

const lab = fileURLToPath(new URL('../../inventory/fixtures/lab/etc/swift', import.meta.url))

let root: string
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'roost-rings-'))
  cpSync(lab, join(root, 'etc/swift'), { recursive: true })
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

describe('the rings of a node', () => {
  it('are described by their shape and the time of their file', async () => {
    utimesSync(join(root, 'etc/swift/object-1.ring.gz'), 1_795_000_000, 1_795_000_000)
    const { described } = await readRings(openMachine(root), '/etc/swift', new Map())
    expect(described.find(({ name }) => name === 'object-1')).toEqual({
      name: 'object-1',
      version: 4,
      md5: '0968121a214f444b402e5670243067db',
      devices: 3,
      partitions: 64,
      replicas: 2,
      balance: 1.5625,
      dispersion: 7.8125,
      regions: 1,
      zones: 2,
      weight: 240,
      modified: 1_795_000_000,
    })
  })

  it('are read again only when their files have changed', async () => {
    const cache: RingCache = new Map()
    const read = () => readRings(openMachine(root), '/etc/swift', cache)
    const first = await read()
    expect((await read()).rings.get('object')).toBe(first.rings.get('object'))
    writeFileSync(join(root, 'etc/swift/object.ring.gz'), 'damaged')
    const { rings, problems } = await read()
    expect([rings.has('object'), problems.map(({ code }) => code)]).toEqual([false, ['ring_unreadable']])
  })
})
