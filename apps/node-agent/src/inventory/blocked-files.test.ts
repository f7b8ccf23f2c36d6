import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { TestClock } from '@roost/testing'
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { slowReaders } from '../collectors/engine/slow-reader.js'
import { readConfig } from '../config.js'
import { createFilesystems } from '../machine/filesystems.js'
import { startHelper } from '../machine/helper.js'
import { openMachine } from '../machine/machine.js'
import { createNodeProblems } from '../machine/problems.js'
import { createServiceList } from '../swift/services/service-list.js'
import { runCommand } from '../machine/run-command.js'
import { createStatfsProbe } from '../machine/statfs-probe.js'
import { readHardware } from './hardware.js'
import { createInventories, type Inventories } from './inventories.js'

const clock = new TestClock()
let root: string
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'roost-root-'))
  mkdirSync(join(root, 'proc'))
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

function write(path: string, text: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true })
  writeFileSync(join(root, path), text)
}

/** Makes a file that blocks each reader for ever, as a hanging driver does. */
function block(path: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true })
  execFileSync('mkfifo', [join(root, path)])
}

function open(): Inventories {
  write('config.json', JSON.stringify({ root, devices: [{ name: 'd1', mount_point: '/data/1' }] }))
  const machine = openMachine(root)
  const program = { machine, run: runCommand, start: startHelper, clock }
  const probe = createStatfsProbe({ run: runCommand, path: (path) => machine.path(path) })
  const inventories = createInventories({
    ...program,
    config: readConfig({ dataDir: root }, {}),
    openSlowReader: slowReaders({ ...program, deadlineMs: 1_000 }),
    filesystems: createFilesystems({ machine, probe, monotonic: clock.monotonic }),
    askRecon: async () => undefined,
    problems: createNodeProblems(),
    services: createServiceList(clock),
  })
  onTestFinished(() => inventories.close())
  return inventories
}

describe('a driver that blocks the readers of its files', () => {
  it('leaves the agent free, and costs no other disk its values', async () => {
    mkdirSync(join(root, 'data/1'), { recursive: true })
    write('proc/self/mountinfo', '30 1 8:1 / /data/1 rw - xfs /dev/sda1 rw')
    mkdirSync(join(root, 'sys/dev/block'), { recursive: true })
    symlinkSync('../../devices/sda/sda1', join(root, 'sys/dev/block/8:1'))
    for (const name of ['sda', 'sdb']) {
      write(`sys/block/${name}/size`, '2048\n')
      write(`sys/block/${name}/device/model`, 'ACME\n')
    }
    block('sys/block/sda/serial')
    block('sys/block/sda/diskseq')
    write('sys/block/sdb/serial', 'SER2\n')
    const inventories = open()
    let ticks = 0
    const ticking = setInterval(() => (ticks += 1), 20)
    onTestFinished(() => clearInterval(ticking))
    const { disks, devices } = await inventories.read()
    expect(disks.map(({ name, model, serial }) => [name, model, serial])).toEqual([
      ['sda', 'ACME', null],
      ['sdb', 'ACME', 'SER2'],
    ])
    expect(devices).toMatchObject([{ status: 'ok' }])
    expect(await inventories.usage()).toMatchObject([{ key: '/data/1', status: 'ok' }])
    await clock.pass(10_000)
    // Two files each waited for their deadline, and the process went on.
    expect(ticks).toBeGreaterThan(50)
  })

  it('does not stop the enrollment', async () => {
    write('sys/class/net/eth1/address', '02:00:00:00:00:01\n')
    mkdirSync(join(root, 'sys/class/net/eth1/device'))
    mkdirSync(join(root, 'sys/class/net/eth2/device'), { recursive: true })
    block('sys/class/net/eth2/address')
    block('sys/class/dmi/id/product_uuid')
    const machine = openMachine(root)
    const found = await readHardware({ machine, run: runCommand, start: startHelper, deadlineMs: 1_000 })
    expect(found).toMatchObject({ system_uuid: null, macs: ['02:00:00:00:00:01'] })
  })
})
