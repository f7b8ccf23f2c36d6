import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openMachine } from './machine.js'
import { mountAt, readMounts } from './mounts.js'

let root: string
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'roost-root-'))
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

function writeMountinfo(text: string): void {
  mkdirSync(join(root, 'proc/self'), { recursive: true })
  writeFileSync(join(root, 'proc/self/mountinfo'), text)
}

const points = () => readMounts(openMachine(root)).map((mount) => mount.mountPoint)

describe('the mounts of a machine under a root', () => {
  it('are those of its own /proc', () => {
    writeMountinfo('30 1 8:1 / / rw - xfs /dev/sda1 rw\n31 30 8:2 / /srv/node/d1 rw - xfs /dev/sdb1 rw\n')
    expect(points()).toEqual(['/', '/srv/node/d1'])
  })

  it('lose the root where the /proc in it shows our view', () => {
    writeMountinfo(
      `30 1 8:1 / / rw - xfs /dev/sda1 rw\n31 30 8:1 / ${root} rw - xfs /dev/sda1 rw\n32 31 8:2 / ${root}/srv rw - xfs /dev/sdb1 rw\n33 30 8:3 / ${root}-other rw - xfs /dev/sdc1 rw\n`,
    )
    expect(points()).toEqual(['/', '/srv'])
  })

  it('are what is mounted below it here where it has no /proc', () => {
    expect(points()).toEqual([])
  })
})

describe('the mount at a path', () => {
  it('is the topmost of several, and none that is hidden', () => {
    writeMountinfo(
      [
        '30 1 8:1 / / rw - xfs /dev/sda1 rw',
        '31 30 8:2 / /a rw - xfs /dev/sdb1 rw',
        '32 31 8:3 / /a rw - xfs /dev/sdc1 rw',
        '33 30 8:4 / /b/c rw - xfs /dev/sdd1 rw',
        '34 30 8:5 / /b rw - xfs /dev/sde1 rw',
      ].join('\n'),
    )
    const mounts = readMounts(openMachine(root))
    expect(mountAt('/a', mounts)?.device).toBe('8:3')
    expect(mountAt('/b/c', mounts)).toBeUndefined()
    expect(mountAt('/c', mounts)).toBeUndefined()
  })
})
