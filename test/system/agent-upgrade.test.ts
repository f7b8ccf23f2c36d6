import { cp, mkdir, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { enrollmentArguments } from '../support/agents/enrollment.js'
import { addCluster } from '../support/agents/fleet-rows.js'
import { useBrowser } from '../support/console/browser.js'
import { enterConsole, hasBrowser } from '../support/console/chromium.js'
import { startApi } from '../support/http/api.js'
import type { TestApi } from '../support/http/api.js'
import { buildPackages, ownArch } from '../support/programs/packages.js'
import { startMachine } from '../support/swift/machine.js'
import type { Machine } from '../support/swift/machine.js'
import { bootContainer } from '../support/systemd/container.js'
import type { SystemdContainer } from '../support/systemd/container.js'
import { findSystemdRoot } from '../support/systemd/root.js'

const waitOptions = { timeout: 240_000, interval: 500 }
const [former, version] = ['1.0.0', '1.1.0']
const masked = ['smbd', 'nmbd', 'samba-ad-dc', 'winbind', 'systemd-networkd'].map((name) => `${name}.service`)

const found = await findSystemdRoot()
const skipped = 'missing' in found ? ` (not here: ${found.missing})` : ''

describe.skipIf(skipped !== '')(`an upgrade of the agent under systemd${skipped}`, () => {
  let api: TestApi
  let machine: Machine
  let node: SystemdContainer
  let cluster: number

  const visit = hasBrowser ? useBrowser() : null

  const nodes = async () => (await api.get('/api/v1/nodes/')).body.objects
  const start = async (to: string): Promise<string> => {
    const { status, body } = await api.call('/api/v1/agent_upgrades/', {
      method: 'POST',
      body: { cluster: `/api/v1/clusters/${cluster}/`, version: to },
    })
    expect([status, body]).toEqual([201, expect.anything()])
    return body.resource_uri
  }
  const ended = async (uri: string) => {
    const read = async () => (await api.get(uri)).body
    await expect.poll(async () => (await read()).state, waitOptions).toMatch(/^COMPLETED/)
    return read()
  }
  const upgrade = async (to: string) => ended(await start(to))

  /** Upgrades as an operator does in the console, where there is a browser. `shown`: what the page says of the node at the end. */
  const upgradeInConsole = async (to: string, shown: string) => {
    if (visit === null) return upgrade(to)
    const visitor = await visit(api.url)
    const page = await visitor.open(`/system?cluster=${cluster}`)
    await enterConsole(page, api.key)
    await page.getByRole('button', { name: 'Upgrade agents …' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Version').fill(to)
    await dialog.getByRole('button', { name: 'Show the plan' }).click()
    await dialog.getByRole('button', { name: 'Upgrade 1 node' }).click()
    const rows = () => page.getByRole('table').getByRole('row').allInnerTexts()
    await expect.poll(rows, waitOptions).toContainEqual(expect.stringContaining('is upgraded'))
    await expect.poll(rows, waitOptions).toContainEqual(expect.stringContaining(shown))
    const end = await ended(`/api/v1/agent_upgrades/${/(\d+)$/.exec(new URL(page.url()).pathname)?.[1]}/`)
    if (end.message !== '') await page.getByText(end.message).waitFor()
    visitor.expectNoErrors(/status of 401/)
    await visitor.context.close()
    return end
  }

  beforeAll(async () => {
    if ('missing' in found) return
    api = await startApi()
    const offered = join(api.controlPlane.dataDir, 'packages')
    await mkdir(offered, { recursive: true })
    let deployed = ''
    for (const one of [former, version]) {
      deployed = await buildPackages({ version: one, only: ['roost-agent'], archs: [ownArch], formats: ['deb'] })
      for (const name of await readdir(deployed))
        if (name.includes(`_${one}_`)) await cp(join(deployed, name), join(offered, name))
      if (one === former) {
        machine = await startMachine()
        await machine.publish(Number(new URL(api.url).port))
        node = await bootContainer(machine, { root: found.path, files: [], masked, deployed })
      }
    }
  }, 600_000)
  afterAll(async () => {
    await machine?.remove()
    await api?.stop()
  })

  it('begins with an enrolled agent of the former version', async () => {
    cluster = await addCluster(api.database)
    await node.exec(`dpkg -i /srv/deployed/roost-agent_${former}_${ownArch}.deb`)
    expect(await node.run('roost-agent', await enrollmentArguments(api, cluster))).toMatchObject({ code: 0 })
    await node.exec('systemctl start roost-agent')
    await expect.poll(nodes, waitOptions).toMatchObject([{ state: 'online', agent_version: former }])
  })

  it('is installed by the root helper, and a mount of the machine is untouched', async () => {
    await node.exec('mkdir -p /srv/mounted && mount -t tmpfs roost-test /srv/mounted && echo kept >/srv/mounted/file')
    const { state, message, targets } = await upgradeInConsole(version, 'installed')
    expect({ state, message, targets }).toMatchObject({
      state: 'COMPLETED_SUCCESS',
      message: '',
      targets: [{ state: 'installed', from_version: former }],
    })
    await expect.poll(nodes, waitOptions).toMatchObject([{ state: 'online', agent_version: version }])
    expect(await node.exec("dpkg-query -W -f '${Version}' roost-agent")).toBe(version)
    expect(await node.exec('cat /srv/mounted/file')).toBe('kept\n')
    expect(await node.exec('ls /var/lib/roost-agent-upgrade/kept')).toBe(
      `roost-agent-${former}.deb\nroost-agent-${version}.deb\n`,
    )
    expect(await node.exec('systemctl --failed --plain --no-legend')).toBe('')
  })

  it('to an older version is refused, and the node keeps its version', async () => {
    expect(await upgrade(former)).toMatchObject({
      state: 'COMPLETED_FAILED',
      message: expect.stringContaining(`Version ${former} is older than ${version}`),
      targets: [{ state: 'refused' }],
    })
    expect(await node.exec("dpkg-query -W -f '${Version}' roost-agent")).toBe(version)
  })

  it('returns by itself to the former version when the new one does not start', async () => {
    const config = '/var/lib/roost-agent/config.json'
    await node.exec(
      `echo '{"upgrades_oldest": "${former}"}' >${config} && chmod 644 ${config} && systemctl restart roost-agent`,
    )
    await expect.poll(nodes, waitOptions).toMatchObject([{ state: 'online' }])
    // The canary fails on purpose: this version ends at its start.
    const broken = `/usr/lib/roost-agent/${former}/node`
    await node.exec(`mkdir -p /etc/systemd/system/roost-agent.service.d
      printf '[Service]\\nExecCondition=/bin/sh -c "[ ! -e ${broken} ] || exit 255"\\n' >/etc/systemd/system/roost-agent.service.d/test.conf
      systemctl daemon-reload`)
    expect(await upgradeInConsole(former, 'returned to its former version')).toMatchObject({
      state: 'COMPLETED_FAILED',
      message: expect.stringContaining(`Version ${version} runs again.`),
      targets: [{ state: 'returned', from_version: version }],
    })
    await expect.poll(nodes, waitOptions).toMatchObject([{ state: 'online', agent_version: version }])
    expect(await node.exec("dpkg-query -W -f '${Version}' roost-agent")).toBe(version)
  })
})
