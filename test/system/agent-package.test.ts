import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { enrollmentArguments } from '../support/agents/enrollment.js'
import { addCluster } from '../support/agents/fleet-rows.js'
import { startApi } from '../support/http/api.js'
import type { TestApi } from '../support/http/api.js'
import { buildPackages, ownArch } from '../support/programs/packages.js'
import { startMachine } from '../support/swift/machine.js'
import type { Machine } from '../support/swift/machine.js'
import { bootContainer } from '../support/systemd/container.js'
import type { SystemdContainer } from '../support/systemd/container.js'
import { findSystemdRoot } from '../support/systemd/root.js'

const waitOptions = { timeout: 120_000, interval: 200 }
const version = '1.0.0'
// With a shorter watchdog, so that the test does not wait for 30 s.
const files = [
  ['/etc/systemd/system/roost-agent.service.d/test.conf', '[Service]\nWatchdogSec=8\nRestartSec=1\n'],
] as const
const masked = ['smbd', 'nmbd', 'samba-ad-dc', 'winbind', 'systemd-networkd'].map((name) => `${name}.service`)

const found = await findSystemdRoot()
const skipped = 'missing' in found ? ` (not here: ${found.missing})` : ''

describe.skipIf(skipped !== '')(`the package of the agent under systemd${skipped}`, () => {
  let api: TestApi
  let machine: Machine
  let node: SystemdContainer
  let cluster: number

  const show = async (property: string) => (await node.exec(`systemctl show -P ${property} roost-agent`)).trim()
  const states = async () => (await api.get('/api/v1/nodes/')).body.objects.map((one: { state: string }) => one.state)
  const expectRestart = async (before: string) => {
    await expect.poll(() => show('MainPID'), waitOptions).not.toMatch(new RegExp(`^(0|${before})$`))
    await expect.poll(() => show('ActiveState'), waitOptions).toBe('active')
  }

  beforeAll(async () => {
    if ('missing' in found) return
    const build = buildPackages({ version, only: ['roost-agent'], archs: [ownArch], formats: ['deb'] })
    const [deployed] = await Promise.all([build, startApi().then((started) => (api = started))])
    machine = await startMachine()
    await machine.publish(Number(new URL(api.url).port))
    node = await bootContainer(machine, { root: found.path, files, masked, deployed })
    cluster = await addCluster(api.database)
  }, 600_000)
  afterAll(async () => {
    await machine?.remove()
    await api?.stop()
  })

  it('is installed enabled, and waits for the enrollment', async () => {
    await node.exec(`dpkg -i /srv/deployed/roost-agent_${version}_${ownArch}.deb`)
    expect(await node.exec('systemctl is-enabled roost-agent')).toBe('enabled\n')
    expect(await show('ActiveState')).toBe('inactive')
    expect(await node.exec('roost-agent --version')).toBe(`${version}\n`)
    expect(await node.exec('systemctl --failed --plain --no-legend')).toBe('')
  })

  it('contains its own Node, in a folder of its version', async () => {
    const enrolled = await node.run('roost-agent', await enrollmentArguments(api, cluster))
    expect(enrolled).toMatchObject({ code: 0 })
    await node.exec('systemctl start roost-agent')
    await expect.poll(states, waitOptions).toEqual(['online'])
    expect(await node.exec(`readlink /proc/${await show('MainPID')}/exe`)).toBe(
      `/usr/lib/roost-agent/${version}/node\n`,
    )
    expect(await node.exec(`ps -o user= -p ${await show('MainPID')}`)).toBe('roost-agent\n')
    expect((await api.get('/api/v1/nodes/')).body.objects[0]).toMatchObject({ agent_version: version })
  })

  it('is confined: exposed by 4.0 of 10 at most', async () => {
    const { code, stdout } = await node.run('systemd-analyze', ['security', '--threshold=40', 'roost-agent.service'])
    expect([code, stdout]).toEqual([0, expect.any(String)])
  })

  it('brings its manual page and its completions', async () => {
    const listed = await node.exec('dpkg -L roost-agent')
    for (const path of ['man/man1/roost-agent.1', 'bash-completion/completions/roost-agent'])
      expect(listed).toContain(`/usr/share/${path}`)
    expect(await node.exec('roost-agent complete -- gateway pre')).toBe('prepare\n')
  })

  it.each([
    ['hangs', 'STOP'],
    ['is killed', 'KILL'],
  ])('is started again when its process %s', async (_what, signal) => {
    const pid = await show('MainPID')
    await node.exec(`kill -${signal} ${pid}`)
    await expectRestart(pid)
    await expect.poll(states, waitOptions).toEqual(['online'])
  })

  it('runs again after a reboot', async () => {
    await node.reboot()
    await expect.poll(() => show('ActiveState'), waitOptions).toBe('active')
    await expect.poll(states, waitOptions).toEqual(['online'])
  })

  it('is removed with its program, and keeps its identity', async () => {
    await node.exec('dpkg -r roost-agent')
    const left = await node.exec(
      'ls -d /usr/lib/roost-agent /usr/bin/roost-agent /var/lib/roost-agent 2>/dev/null || true',
    )
    expect(left).toBe('/var/lib/roost-agent\n')
    expect((await node.run('systemctl', ['is-enabled', 'roost-agent'])).code).not.toBe(0)
    expect((await node.run('pgrep', ['-u', 'roost-agent'])).stdout).toBe('')
  })

  it('keeps its state when it is purged while a container is mounted there, since that would remove objects', async () => {
    const mountPoint = '/var/lib/roost-agent/mounts/drain/a-container'
    await node.exec(`mkdir -p ${mountPoint} && mount -t tmpfs tmpfs ${mountPoint} && touch ${mountPoint}/object`)
    const { code, stderr } = await node.run('dpkg', ['-P', 'roost-agent'])
    expect([code, stderr]).toEqual([0, expect.stringContaining('containers are mounted there')])
    expect(await node.exec(`ls ${mountPoint}; umount ${mountPoint}; ls /var/lib/roost-agent/identity.json`)).toBe(
      'object\n/var/lib/roost-agent/identity.json\n',
    )
    await node.exec(`dpkg -i /srv/deployed/roost-agent_${version}_${ownArch}.deb && dpkg -r roost-agent`)
  })

  it('deletes its identity when it is purged, and reports it', async () => {
    const { code, stderr } = await node.run('dpkg', ['-P', 'roost-agent'])
    expect([code, stderr]).toEqual([0, expect.stringContaining('deleting /var/lib/roost-agent with the identity')])
    expect((await node.run('ls', ['/var/lib/roost-agent'])).code).not.toBe(0)
  })
})
