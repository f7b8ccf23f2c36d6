import { copyFile, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { expectPromised } from '../support/clock/promised.js'
import { startDebianPostgresql } from '../support/database/debian-postgresql.js'
import type { DebianPostgresql } from '../support/database/debian-postgresql.js'
import { controlPlaneEnv, roostProgram } from '../support/http/control-plane.js'
import { startMachine } from '../support/swift/machine.js'
import type { Machine, MachineProcess } from '../support/swift/machine.js'
import { addNetwork } from '../support/systemd/network.js'

const isEnabled = process.getuid?.() === 0 && process.env['ROOST_TEST_SYSTEM'] === '1'

describe.skipIf(!isEnabled)('a host that vanishes with the lock (as root, with ROOST_TEST_SYSTEM=1)', () => {
  let machine: Machine
  let server: DebianPostgresql
  let first: MachineProcess

  const start = async (host: string, more: Readonly<Record<string, string>> = {}) => {
    const dataDir = join(machine.dir, host)
    await mkdir(dataDir, { recursive: true })
    const env = controlPlaneEnv(dataDir, { DATABASE_URL: server.url, ...more })
    return machine.spawn('ip', ['netns', 'exec', host, process.execPath, roostProgram, 'local', 'serve'], { env })
  }
  const serves = (control: MachineProcess) =>
    vi.waitFor(() => expect(control.output()).toContain('Roost is at '), { timeout: 120_000, interval: 100 })

  /** What it answers on its own host. */
  const statusOf = async (control: MachineProcess) => {
    const [url = ''] = /https:\/\/localhost:\d+/.exec(control.output()) ?? []
    const args = [
      'netns',
      'exec',
      'first',
      'curl',
      '--insecure',
      '--silent',
      '--max-time',
      '2',
      '-w',
      '%{http_code}',
      '-o',
      '/dev/null',
    ]
    return (await machine.run('ip', [...args, `${url}/readyz`])).stdout
  }

  beforeAll(async () => {
    machine = await startMachine()
    await addNetwork(machine, 'database', ['first', 'standby'])
    server = await startDebianPostgresql({ machine, address: '10.77.0.1' })
    first = await start('first')
    await serves(first)
    await mkdir(join(machine.dir, 'standby'))
    await copyFile(join(machine.dir, 'first/secrets.key'), join(machine.dir, 'standby/secrets.key'))
  }, 180_000)
  afterAll(async () => {
    await server?.remove()
    await machine?.remove()
  })

  it('is replaced by a standby that waits as long as it does by default', { timeout: 180_000 }, async () => {
    await machine.exec('ip link set link0 down')
    const began = performance.now()
    const standby = await start('standby')
    await vi.waitFor(async () => expect(await statusOf(first)).toBe('503'), { timeout: 15_000, interval: 500 })
    expect(standby.output()).not.toContain('Roost is at ')
    await serves(standby)
    expect(standby.output()).toMatch(
      /another Roost \(process \d+ on \S+, address 10\.77\.0\.2\) uses the database, waiting up to 30 s/,
    )
    expectPromised('a standby serves after its host vanished', performance.now() - began, 30_000)

    const returned = performance.now()
    await machine.exec('ip link set link0 up')
    await first.ended
    expectPromised('a host that is back ends', performance.now() - returned, 10_000)
    expect(first.output()).toMatch(
      /roost: Another Roost \(process \d+ on \S+, address 10\.77\.0\.3\) uses the database/,
    )
    await standby.stop()
  })
})
