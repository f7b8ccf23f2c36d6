import { copyFile, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { expectPromised } from '../support/clock/promised.js'
import { buildPackages, ownArch, repackDeb } from '../support/programs/packages.js'
import { startMachine } from '../support/swift/machine.js'
import type { Machine } from '../support/swift/machine.js'
import { bootContainer } from '../support/systemd/container.js'
import type { SystemdContainer } from '../support/systemd/container.js'
import { findSystemdRoot } from '../support/systemd/root.js'

const [first, second, broken] = ['1.0.0', '1.1.0', '1.2.0'] as const
const nameOf = (version: string) => `roost_${version}_${ownArch}.deb`
const install = (version: string) => ['-i', `/srv/deployed/${nameOf(version)}`]
// The first of its migrations succeeds: the database is then one that the former version refuses.
const breakMigrations = `cd node_modules/@roost/database/migrations
  mkdir 29990101000000_one 29990102000000_two
  echo 'create table upgraded (id int);' >29990101000000_one/migration.sql
  echo 'select no_such_function();' >29990102000000_two/migration.sql`
const files = [
  ['/etc/hostname', 'roost-test\n'],
  ['/etc/hosts', '127.0.0.1 localhost roost-test\n'],
] as const
const masked = ['smbd', 'nmbd', 'samba-ad-dc', 'winbind', 'systemd-networkd'].map((name) => `${name}.service`)

const found = await findSystemdRoot()
const skipped = 'missing' in found ? ` (not here: ${found.missing})` : ''

describe.skipIf(skipped !== '')(`the package of the control plane under systemd${skipped}`, () => {
  let deployed: string
  let machine: Machine
  let server: SystemdContainer

  const show = async (property: string) => (await server.exec(`systemctl show -P ${property} roost`)).trim()
  const program = async () => (await server.exec(`readlink /proc/${await show('MainPID')}/exe`)).trim()
  const backups = async () => (await server.exec('ls /var/lib/roost-backup')).trim().split('\n')

  beforeAll(async () => {
    if ('missing' in found) return
    deployed = await mkdtemp(join(tmpdir(), 'roost-deployed-'))
    const folder = await buildPackages({ version: first, only: ['roost'], archs: [ownArch], formats: ['deb'] })
    const deb = join(deployed, nameOf(first))
    await copyFile(join(folder, nameOf(first)), deb)
    await repackDeb(deb, first, second)
    await repackDeb(deb, first, broken, breakMigrations)
    machine = await startMachine()
    server = await bootContainer(machine, { root: found.path, files, masked, deployed })
  }, 600_000)
  afterAll(async () => {
    await machine?.remove()
    if (deployed !== undefined) await rm(deployed, { recursive: true })
  })

  it('runs once it is installed, and prints a first page of help', async () => {
    const { code, stdout } = await server.run('dpkg', install(first))
    expect(code).toBe(0)
    expect(stdout).toMatch(/^Roost is at https:\/\/roost-test:8443$/m)
    for (const line of ['/var/lib/roost/ca.pem', '/var/lib/roost/admin.apikey', 'roost token create --cluster default'])
      expect(stdout).toContain(line)
    expect(await show('ActiveState')).toBe('active')
    expect(await program()).toBe(`/usr/lib/roost/${first}/node`)
    expect(await server.exec('systemctl is-enabled roost roost-backup.timer')).toBe('enabled\nenabled\n')
    expect(await server.exec('systemctl --failed --plain --no-legend')).toBe('')
    expect(await server.exec('roost doctor')).toMatch(/^database +ok +answers$/m)
    expect(await server.exec('roost token create --cluster default')).toContain('https://roost-test:8443')
  })

  it('is restarted by the watchdog, and ends within its time', async () => {
    await server.exec('mkdir -p /run/systemd/system/roost.service.d')
    await server.exec(`printf '[Service]\\nWatchdogSec=8\\nRestartSec=1\\n' >/run/systemd/system/roost.service.d/test.conf
      systemctl daemon-reload && systemctl restart roost`)
    const pid = await show('MainPID')
    await server.exec(`kill -STOP ${pid}`)
    await expect
      .poll(() => show('MainPID'), { timeout: 120_000, interval: 200 })
      .not.toMatch(new RegExp(`^(0|${pid})$`))
    await expect.poll(() => show('ActiveState'), { timeout: 120_000, interval: 200 }).toBe('active')
    const began = performance.now()
    await server.exec('systemctl stop roost')
    expectPromised('the end of the control plane', performance.now() - began, 30_000)
    expect([await show('Result'), (await server.run('pgrep', ['-u', 'roost'])).stdout]).toEqual(['success', ''])
    await server.exec('systemctl start roost')
  })

  it('serves the pages and the description of the API', async () => {
    const get = (path: string) =>
      server.exec(`export NODE_EXTRA_CA_CERTS=/var/lib/roost/ca.pem
        /usr/lib/roost/current/node -e 'fetch("https://localhost:8443${path}").then(async (r) => console.log(r.status, (await r.text()).length))'`)
    expect(await get('/docs/static/swagger-ui-bundle.js')).toMatch(/^200 \d{6,}\n$/)
    expect(await get('/openapi.json')).toMatch(/^200 \d{5,}\n$/)
    expect(await get('/docs/alerts/DEVICE_UNMOUNTED')).toMatch(/^200 \d{3,}\n$/)
  })

  it('is upgraded with a backup of before, and keeps its data', async () => {
    await server.exec('roost cluster add kept')
    const { code, stdout } = await server.run('dpkg', install(second))
    expect(code).toBe(0)
    const [backup = ''] = await backups()
    expect(stdout).toContain(
      `upgraded from ${first} to ${second}. The backup of before is /var/lib/roost-backup/${backup}`,
    )
    expect(await program()).toBe(`/usr/lib/roost/${second}/node`)
    expect(await server.exec('ls /usr/lib/roost')).toBe(`${second}\ncurrent\n`)
    expect(await server.exec('roost cluster list')).toMatch(/ kept /)
  })

  it('starts the former version again, with its data, when the new one does not start', async () => {
    await server.exec('roost cluster add before')
    const { code, stderr } = await server.run('dpkg', install(broken))
    expect(code).not.toBe(0)
    const backup = (await backups()).find((name) => name.startsWith(`before-${broken}-`))
    expect(stderr).toMatch(new RegExp(`^roost: ${broken} did not start \\(.*no_such_function`, 'm'))
    expect(stderr).toContain(
      `${second} runs again, with the data of the backup /var/lib/roost-backup/${backup}. The history of metrics is kept.`,
    )
    expect([await show('ActiveState'), await program()]).toEqual(['active', `/usr/lib/roost/${second}/node`])
    expect(await server.exec('roost cluster list')).toMatch(/ before /)
    expect((await server.run('dpkg', install(second))).code).toBe(0)
    expect(await server.exec('ls /usr/lib/roost; dpkg-query -W -f "\\${Status} \\${Version}" roost')).toBe(
      `${second}\ncurrent\ninstall ok installed ${second}`,
    )
  })

  it('makes backups by its timer, and copies them off the machine', async () => {
    const copyTo = (folder: string) =>
      server.exec(`sed -i /ROOST_BACKUP_COPY/d /etc/roost/environment
        echo 'ROOST_BACKUP_COPY=cp "$1" ${folder}/' >>/etc/roost/environment`)
    await server.exec('mkdir /srv/elsewhere')
    await copyTo('/srv/elsewhere')
    await server.exec('systemctl start roost-backup')
    expect(await server.exec('ls /srv/elsewhere')).toMatch(/^\d{8}-\d{6}\.roost\n$/)
    expect(await server.exec('cmp /srv/elsewhere/* /var/lib/roost-backup/2*.roost && roost doctor')).toMatch(
      /^backup copy +ok +the last copy is of 20/m,
    )
    await copyTo('/srv/nowhere')
    expect((await server.run('systemctl', ['start', 'roost-backup'])).code).not.toBe(0)
    expect((await backups()).filter((name) => name.startsWith('2'))).toHaveLength(2)
    await server.exec('sed -i /ROOST_BACKUP_COPY/d /etc/roost/environment; systemctl reset-failed')
  })

  it('returns to a former version of the same database', async () => {
    const { code, stderr } = await server.run('dpkg', install(first))
    expect([code, stderr]).toEqual([0, expect.stringContaining('downgrading')])
    expect([await show('ActiveState'), await program()]).toEqual(['active', `/usr/lib/roost/${first}/node`])
  })

  it('runs after a reboot, and exposes little', async () => {
    await server.reboot()
    await expect.poll(() => show('ActiveState'), { timeout: 120_000, interval: 200 }).toBe('active')
    const { code, stdout } = await server.run('systemd-analyze', ['security', '--threshold=40', 'roost.service'])
    expect({ code, stdout: code === 0 ? '' : stdout }).toEqual({ code: 0, stdout: '' })
  })

  it('is removed with its program, and keeps the data', async () => {
    await server.exec('dpkg -r roost')
    expect(
      await server.exec('ls -d /usr/lib/roost /usr/bin/roost /var/lib/roost/pgdata /etc/roost 2>/dev/null || true'),
    ).toBe('/etc/roost\n/var/lib/roost/pgdata\n')
    expect((await server.run('pgrep', ['-u', 'roost'])).stdout).toBe('')
    expect((await server.run('dpkg', install(first))).code).toBe(0)
    expect(await server.exec('roost cluster list')).toMatch(/ before /)
  })

  it('deletes the data when it is purged, reports it, and keeps the backups', async () => {
    const { code, stderr } = await server.run('dpkg', ['-P', 'roost'])
    expect([code, stderr]).toEqual([0, expect.stringContaining('deleting /var/lib/roost with the database')])
    expect(stderr).toContain('keeping the backups in /var/lib/roost-backup')
    expect(await server.exec('ls -d /etc/roost /var/lib/roost 2>/dev/null || true')).toBe('')
    expect((await backups()).length).toBeGreaterThan(1)
  })
})
