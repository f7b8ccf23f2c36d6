import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { repository } from '../support/http/control-plane.js'
import { startMachine } from '../support/swift/machine.js'
import type { Machine } from '../support/swift/machine.js'
import { bootContainer } from '../support/systemd/container.js'
import type { SystemdContainer } from '../support/systemd/container.js'
import { findSystemdRoot } from '../support/systemd/root.js'

const waitOptions = { timeout: 120_000, interval: 200 }
const packaged = (file: string) => readFileSync(join(repository, 'apps/control-plane/systemd', file), 'utf8')
const environment = '/etc/roost/environment'
const variables = 'ROOST_DATA_DIR=/var/lib/roost\nROOST_LISTEN=127.0.0.1:443\n'
// As docs/install.md installs it; with a shorter watchdog, so that the test does not wait for 30 s.
const files = [
  ['/etc/systemd/system/roost.service', packaged('roost.service')],
  ['/etc/systemd/system/roost.service.d/test.conf', '[Service]\nWatchdogSec=8\nRestartSec=1\n'],
  ['/etc/systemd/system/roost-backup.service', packaged('roost-backup.service')],
  ['/etc/systemd/system/roost-backup.timer', packaged('roost-backup.timer')],
  ['/usr/lib/sysusers.d/roost.conf', packaged('roost.sysusers')],
  [environment, variables],
] as const

const found = await findSystemdRoot()
const skipped = 'missing' in found ? ` (not here: ${found.missing})` : ''

describe.skipIf(skipped !== '')(`the control plane under systemd${skipped}`, () => {
  let machine: Machine
  let server: SystemdContainer

  const show = async (property: string) => (await server.exec(`systemctl show -P ${property} roost`)).trim()
  const doctor = async () => {
    const { code, stdout } = await server.run('roost', ['doctor', '-o', 'json'])
    const findings = JSON.parse(stdout) as { check: string; verdict: string; message: string }[]
    return { code, checks: Object.fromEntries(findings.map((one) => [one.check, `${one.verdict}: ${one.message}`])) }
  }
  /** Waits until systemd has started another process, which is ready. */
  const expectRestart = async (before: string) => {
    await expect.poll(() => show('MainPID'), waitOptions).not.toBe(before)
    await expect.poll(() => show('ActiveState'), waitOptions).toBe('active')
    expect(await doctor()).toMatchObject({ code: 0 })
  }

  beforeAll(async () => {
    if ('missing' in found) return
    machine = await startMachine()
    const masked = [
      'smbd.service',
      'nmbd.service',
      'samba-ad-dc.service',
      'winbind.service',
      'systemd-networkd.service',
    ]
    server = await bootContainer(machine, { root: found.path, files, masked })
    await server.exec(`ln -s ${repository}/apps/control-plane/bin/roost.js /usr/bin/roost
      systemd-sysusers && systemctl daemon-reload`)
  }, 600_000)
  afterAll(async () => {
    await machine?.remove()
  })

  it('is ready when systemctl returns, on a port below 1024 and without rights of root', async () => {
    await server.exec('systemctl enable --now roost roost-backup.timer || { journalctl -u roost >&2; exit 1; }')
    const { code, checks } = await doctor()
    expect(code).toBe(0)
    expect(checks).toMatchObject({ address: 'ok: https://127.0.0.1:443 answers', database: 'ok: answers' })
    expect(await show('StatusText')).toBe('serving at https://localhost:443')
    const owners = await server.exec('ps -o user= -p $(systemctl show -P MainPID roost); stat -c %U:%a /var/lib/roost')
    expect(owners).toBe('roost\nroost:700\n')
  })

  it('is restarted by the watchdog when its process hangs', async () => {
    const pid = await show('MainPID')
    await server.exec(`kill -STOP ${pid}`)
    await expectRestart(pid)
    expect(await server.exec('journalctl -u roost --grep "Watchdog timeout" --quiet --output cat')).not.toBe('')
  })

  it('is restarted after kill -9', async () => {
    const pid = await show('MainPID')
    await server.exec(`kill -KILL ${pid}`)
    await expectRestart(pid)
    expect(await show('Result')).toBe('success')
  })

  it('makes a backup by the unit of the timer, which a new installation restores', async () => {
    expect(await server.exec('systemctl is-enabled roost-backup.timer')).toBe('enabled\n')
    await server.exec('roost cluster add kept && systemctl start roost-backup')
    const [backup = '', ...others] = (await server.exec('ls /var/lib/roost-backup')).trim().split('\n')
    expect([backup, others]).toEqual([expect.stringMatching(/^\d{8}-\d{6}\.roost$/), []])
    expect(await server.exec('stat -c %U:%a /var/lib/roost-backup/*')).toBe('root:600\n')
    expect((await doctor()).checks['backup']).toMatch(/^ok: \/var\/lib\/roost-backup\//)
    await server.exec(`systemctl stop roost
      rm -r /var/lib/roost && install -d -o roost -g roost -m 700 /var/lib/roost
      roost local restore /var/lib/roost-backup/${backup}
      systemctl start roost`)
    expect(await server.exec('roost cluster list')).toMatch(/ kept /)
  })

  it('leaves no process behind when it is stopped', async () => {
    await server.exec('systemctl stop roost')
    expect(await show('Result')).toBe('success')
    expect((await server.run('pgrep', ['-u', 'roost'])).stdout).toBe('')
  })

  it.each([
    ['a wrong variable', 'ROOST_TLS=on', 'ROOST_TLS must be auto, files or off', 'failed'],
    ['a port in use', 'ROOST_LISTEN=127.0.0.1:2049', 'the port is in use', 'failed'],
    ['a dead database', 'DATABASE_URL=postgresql://roost@127.0.0.1:1/roost', 'cannot be reached', 'activating'],
  ])('fails to start with %s, and names the reason', async (_what, variable, reason, state) => {
    await server.exec(`printf '%s\\n' '${variables.trim().replace('\n', "' '")}' '${variable}' >${environment}
      systemd-run --quiet --unit=other --collect node -e 'require("net").createServer().listen(2049, "127.0.0.1")'`)
    const { code, stderr } = await server.run('systemctl', ['start', 'roost'])
    expect([code, stderr]).toEqual([1, expect.stringContaining('Job for roost.service failed')])
    // Only a database may be late.
    expect(await show('ActiveState')).toBe(state)
    expect(await server.exec('journalctl -u roost --output cat -n 20')).toContain(reason)
    await server.exec('systemctl stop roost other; systemctl reset-failed roost || true')
  })
})
