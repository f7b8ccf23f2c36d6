import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { blockOfPage, deployPackage, installCommands } from '../support/programs/deployed-package.js'
import { startMachine } from '../support/swift/machine.js'
import type { Machine } from '../support/swift/machine.js'
import { bootContainer } from '../support/systemd/container.js'
import type { SystemdContainer } from '../support/systemd/container.js'
import { findSystemdRoot } from '../support/systemd/root.js'

const waitOptions = { timeout: 120_000, interval: 200 }
const environment = '/etc/roost/environment'
const installPage = 'docs/install.md'
// With a port below 1024.
const variables = blockOfPage(installPage, 'ROOST_PUBLIC_URL=').replaceAll(':8443', ':443')
// With a shorter watchdog, so that the test does not wait for 30 s.
const files = [
  ['/etc/systemd/system/roost.service.d/test.conf', '[Service]\nWatchdogSec=8\nRestartSec=1\n'],
  ['/etc/hosts', '127.0.0.1 localhost roost.example\n'],
] as const

const isLong = process.env['ROOST_TEST_LONG'] === '1'
const found = isLong ? await findSystemdRoot() : { missing: 'with ROOST_TEST_LONG=1' }
const skipped = 'missing' in found ? ` (not here: ${found.missing})` : ''

describe.skipIf(skipped !== '')(`the control plane under systemd${skipped}`, () => {
  let deployed: string
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
    deployed = await mkdtemp(join(tmpdir(), 'roost-deployed-'))
    await deployPackage(installPage, 'roost', join(deployed, 'roost'))
    await deployPackage('docs/agent.md', 'roost-agent', join(deployed, 'roost-agent'))
    machine = await startMachine()
    const masked = [
      'smbd.service',
      'nmbd.service',
      'samba-ad-dc.service',
      'winbind.service',
      'systemd-networkd.service',
    ]
    server = await bootContainer(machine, { root: found.path, files, masked, deployed })
  }, 600_000)
  afterAll(async () => {
    await machine?.remove()
    if (deployed !== undefined) await rm(deployed, { recursive: true })
  })

  it('is ready after the commands of docs/install.md, on a port below 1024 and without rights of root', async () => {
    await server.exec(installCommands(installPage, 'roost'))
    await server.exec(`cat >${environment} <<'end'\n${variables}end`)
    const installed = await server.exec(blockOfPage(installPage, 'systemctl enable --now roost'))
    expect(installed).toMatch(/^address +ok /m)
    const { code, checks } = await doctor()
    expect(code).toBe(0)
    expect(checks).toMatchObject({
      address: expect.stringMatching(/^ok: https:\/\/\S+ answers$/),
      database: 'ok: answers',
    })
    expect(await show('StatusText')).toMatch(/^serving at https:\/\/roost\.example(:443)?$/)
    expect(await server.exec('find /opt ! -user root')).toBe('')
    const owners = await server.exec('ps -o user= -p $(systemctl show -P MainPID roost); stat -c %U:%a /var/lib/roost')
    expect(owners).toBe('roost\nroost:700\n')
  })

  it('has a node after the commands of docs/agent.md', async () => {
    const page = 'docs/agent.md'
    expect(await server.exec(installCommands(page, 'roost-agent'))).toMatch(/^systemd +ok /m)
    const [enroll = '', run] = (await server.exec('roost token create --cluster default')).split('\n')
    const printed = blockOfPage(page, 'roost-agent enroll --server')
    const [pattern = '', start = ''] = printed.trim().split('\n')
    expect(enroll).toMatch(
      new RegExp(`^${pattern.replace('.example:8443', '.example(:443)?').replaceAll('…', '\\w+')}$`),
    )
    expect(run).toBe('roost-agent run')
    expect(await server.exec(enroll)).toContain(` of the cluster default. Start the agent with: ${start}\n`)
    await server.exec(start)
    expect(await server.exec('ps -o user= -p $(systemctl show -P MainPID roost-agent)')).toBe('roost-agent\n')
    await expect.poll(() => server.exec('roost node list'), waitOptions).toMatch(/ online /)
    await server.exec('systemctl stop roost-agent')
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

  it('serves again after a reboot', async () => {
    await server.reboot()
    await expect.poll(() => show('ActiveState'), waitOptions).toBe('active')
    expect(await doctor()).toMatchObject({ code: 0 })
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

  it('makes a backup when its timer fires', async () => {
    const count = async () => Number((await server.exec('ls /var/lib/roost-backup | wc -l')).trim())
    const before = await count()
    const folder = '/etc/systemd/system/roost-backup.timer.d'
    await server.exec(`mkdir -p ${folder}
      printf '[Timer]\\nOnCalendar=\\nOnCalendar=*:*:0/5\\nRandomizedDelaySec=0\\nAccuracySec=1s\\n' >${folder}/soon.conf
      systemctl daemon-reload && systemctl restart roost-backup.timer`)
    await expect.poll(count, waitOptions).toBeGreaterThan(before)
    await server.exec(`rm -r ${folder} && systemctl daemon-reload && systemctl restart roost-backup.timer`)
  })

  it('is backed up and restored by the account of the service, too', async () => {
    const backup = '/var/lib/roost-own/own.roost'
    await server.exec(`install -d -o roost -g roost -m 700 /var/lib/roost-own
      roost cluster add own
      runuser -u roost -- env ROOST_DATA_DIR=/var/lib/roost roost local backup ${backup}`)
    expect(await server.exec(`stat -c %U:%a ${backup}`)).toBe('roost:600\n')
    await server.exec(`systemctl stop roost
      rm -r /var/lib/roost && install -d -o roost -g roost -m 700 /var/lib/roost
      runuser -u roost -- env ROOST_DATA_DIR=/var/lib/roost roost local restore ${backup}
      systemctl start roost`)
    expect(await server.exec('roost cluster list')).toMatch(/ own /)
  })

  it('leaves no process behind when it is stopped', async () => {
    await server.exec('systemctl stop roost')
    expect(await show('Result')).toBe('success')
    expect((await server.run('pgrep', ['-u', 'roost'])).stdout).toBe('')
  })

  it.each([
    ['a wrong variable', 'ROOST_TLS=on', 'ROOST_TLS must be auto, files or off', 0],
    ['a port in use', 'ROOST_LISTEN=127.0.0.1:2049', 'the port is in use', 0],
    ['a dead database', 'DATABASE_URL=postgresql://roost@127.0.0.1:1/roost', 'cannot be reached', 3],
  ])('is a failed unit with %s, and names the reason', async (_what, variable, reason, restarts) => {
    await server.exec(`cat >${environment} <<'end'\n${variables}${variable}\nend
      printf '[Unit]\\nStartLimitBurst=3\\n' >/etc/systemd/system/roost.service.d/limit.conf
      systemctl daemon-reload && systemctl reset-failed
      systemd-run --quiet --unit=other --collect node -e 'require("net").createServer().listen(2049, "127.0.0.1")'`)
    const { code, stderr } = await server.run('systemctl', ['start', 'roost'])
    expect([code, stderr]).toEqual([1, expect.stringContaining('Job for roost.service failed')])
    await expect.poll(() => show('ActiveState'), waitOptions).toBe('failed')
    // Only a database may be late.
    expect(Number(await show('NRestarts'))).toBe(restarts)
    expect(await server.exec('journalctl -u roost --output cat -n 20')).toContain(reason)
    await server.exec('systemctl stop roost other; systemctl reset-failed roost || true')
  })
})
