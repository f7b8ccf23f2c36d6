import { createHash } from 'node:crypto'
import { copyFile, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { buildPackages, ownArch } from '../support/programs/packages.js'
import { startSwift } from '../support/swift/cluster.js'
import type { Swift } from '../support/swift/cluster.js'
import { logIn } from '../support/swift/session.js'
import { bootContainer } from '../support/systemd/container.js'
import type { SystemdContainer } from '../support/systemd/container.js'
import { addNetwork } from '../support/systemd/network.js'
import { findSystemdRoot } from '../support/systemd/root.js'

const [former, version] = ['1.0.0', '1.1.0']
const fleet = Array.from({ length: 9 }, (_, i) => `agent-${i + 1}`)
/** It enrolls last, and upgrades in a later wave than the canary. */
const gatewayName = 'gateway'
const masked = ['nmbd', 'samba-ad-dc', 'winbind', 'systemd-networkd'].map((name) => `${name}.service`)
const samba = '[global]\nsmb ports = 445\ndisable netbios = yes\nload printers = no\ndisable spoolss = yes\n'
/** Writes small files until it is stopped, and counts those that failed. */
const writer = `i=0
  until [ -e /run/writer.stop ]; do
    i=$((i + 1))
    printf 'line %s' $i >"$1/file-$i" || echo $i >>/run/writer.failed
    sleep 0.3
  done
  echo $i >/run/writer.written`

/** The commit of the former packages; by default both versions are built from the files as they are now. */
const commit = process.env['ROOST_TEST_FORMER_COMMIT']
const formerCommit = commit === undefined ? {} : { commit }

const isLong = process.env['ROOST_TEST_LONG'] === '1'
const found = isLong ? await findSystemdRoot() : { missing: 'with ROOST_TEST_LONG=1' }
const skipped = 'missing' in found ? ` (not here: ${found.missing})` : ''

describe.skipIf(skipped !== '')(`upgrades of a control plane and ten agents${skipped}`, { timeout: 900_000 }, () => {
  let swift: Swift
  let server: SystemdContainer
  let gateway: SystemdContainer
  let deployed: string
  const nodes = new Map<string, SystemdContainer>()

  const roost = async (command: string) => server.run('sh', ['-c', `roost ${command}`])
  const say = (text: string) => process.stdout.write(`${text}\n`)
  const versions = async () => {
    const listed = JSON.parse(await server.exec('roost node list -o json')) as readonly {
      readonly hostname: string
      readonly state: string
      readonly agent_version: string
    }[]
    return Object.fromEntries(
      listed.map(({ hostname, state, agent_version: agent }) => [hostname, `${state} ${agent}`]),
    )
  }
  const allAt = (agent: string) =>
    Object.fromEntries([...fleet, gatewayName].map((hostname) => [hostname, `online ${agent}`]))

  beforeAll(async () => {
    if ('missing' in found) return
    deployed = await mkdtemp(join(tmpdir(), 'roost-fleet-'))
    for (const only of ['roost', 'roost-agent'])
      for (const options of [{ version: former, ...formerCommit }, { version }]) {
        const folder = await buildPackages({ ...options, only: [only], archs: [ownArch], formats: ['deb'] })
        for (const name of await readdir(folder)) await copyFile(join(folder, name), join(deployed, name))
      }

    swift = await startSwift()
    const { machine } = swift
    const hosts = await addNetwork(machine, `control ${gatewayName}`, fleet)
    const common = (name: string) => ({
      root: found.path,
      files: [
        ['/etc/hosts', hosts],
        ['/etc/hostname', `${name}\n`],
        ['/etc/samba/smb.conf', samba],
        ['/srv/writer.sh', writer],
      ] as const,
      masked,
      isBare: true,
      name,
    })
    server = await bootContainer(machine, { ...common('control'), masked: [...masked, 'smbd.service'], deployed })
    gateway = await bootContainer(machine, common(gatewayName))
    for (const name of fleet)
      nodes.set(
        name,
        await bootContainer(machine, { ...common(name), masked: [...masked, 'smbd.service'], network: name }),
      )
    await server.exec(`dpkg -i /srv/deployed/roost_${former}_${ownArch}.deb
      roost packages add /srv/deployed/roost-agent_${former}_${ownArch}.deb /srv/deployed/roost-agent_${version}_${ownArch}.deb`)
  }, 1_500_000)
  afterAll(async () => {
    await gateway?.exec('touch /run/writer.stop; systemctl stop roost-agent; systemctl stop "roost-share-*"')
    await swift?.stop()
    if (deployed !== undefined) await rm(deployed, { recursive: true })
  })

  it('ten nodes are added, one of them a gateway with a client that writes', async () => {
    const line = (await server.exec('roost token create --uses 9')).trim()
    // The canary is the first node.
    const [canary = '', ...others] = fleet
    const paste = (name: string) => (nodes.get(name) as SystemdContainer).exec(line)
    await paste(canary)
    await Promise.all(others.map(paste))
    await gateway.exec((await server.exec('roost token create --roles gateway --prepare')).trim())
    await gateway.exec('systemctl restart smbd')
    await server.exec(`echo testing | roost cluster set-storage default --auth-url ${swift.innerProxyUrl}/auth/v1.0 --user test:tester
      roost share add docs --node ${gatewayName} --container docs --protocol cifs --cifs-guest-ok true --enabled true --cache-size-mb 64
      roost deploy shares --node ${gatewayName} --yes`)
    const folder = (await gateway.exec('findmnt -rn -t fuse.rclone -o TARGET | head -n 1')).trim()
    await gateway.exec(`systemd-run --unit=writer --quiet sh /srv/writer.sh ${folder}`)
    await expect.poll(versions, { timeout: 120_000, interval: 1_000 }).toEqual(allAt(former))
  })

  it('the control plane is upgraded, and no node notices', async () => {
    const { code, stdout } = await server.run('dpkg', ['-i', `/srv/deployed/roost_${version}_${ownArch}.deb`])
    expect([code, stdout]).toEqual([0, expect.stringContaining(`upgraded from ${former} to ${version}`)])
    await expect.poll(versions, { timeout: 120_000, interval: 1_000 }).toEqual(allAt(former))
  })

  it('a canary that does not start the new version returns by itself, and the others are untouched', async () => {
    const canary = nodes.get('agent-1')
    const condition = `[ ! -e /usr/lib/roost-agent/${version}/node ] || exit 255`
    await canary?.exec(`mkdir -p /etc/systemd/system/roost-agent.service.d
      printf '[Service]\\nExecCondition=/bin/sh -c "%s"\\n' '${condition}' >/etc/systemd/system/roost-agent.service.d/broken.conf
      systemctl daemon-reload`)
    const { code, stdout, stderr } = await roost(
      `node upgrade --cluster default --to ${version} --canary 1 --wave 50% --yes`,
    )
    say(
      `root@control# roost node upgrade --cluster default --to ${version} --canary 1 --wave 50% --yes\n${stdout}${stderr}`,
    )
    expect([code, stderr]).toEqual([1, expect.stringContaining(`Version ${former} runs again.`)])
    expect(await versions()).toEqual(allAt(former))
    await canary?.exec('rm /etc/systemd/system/roost-agent.service.d/broken.conf && systemctl daemon-reload')
  })

  it('a good upgrade reaches all ten, and the mount and what the client writes are untouched', async () => {
    const mounts = () => gateway.exec('cut -d" " -f1 /var/lib/roost-agent/mounts/run/share-*.pid')
    const before = await mounts()
    const { code, stdout, stderr } = await roost(`node upgrade --cluster default --canary 1 --wave 50% --yes`)
    say(`root@control# roost node upgrade --cluster default --canary 1 --wave 50% --yes\n${stdout}${stderr}`)
    expect([code, stdout]).toEqual([0, expect.stringContaining(`to ${version} completed`)])
    await expect.poll(versions, { timeout: 120_000, interval: 1_000 }).toEqual(allAt(version))
    expect(await mounts()).toBe(before)

    await gateway.exec('touch /run/writer.stop; until [ -e /run/writer.written ]; do sleep 0.2; done')
    expect(await gateway.exec('cat /run/writer.failed 2>/dev/null || true')).toBe('')
    const written = Number(await gateway.exec('cat /run/writer.written'))
    const { token, account } = await logIn(swift.proxyUrl, 'test:tester', 'testing')
    const stored = async () => {
      const answer = await fetch(`${account}/docs?format=json&limit=10000`, { headers: { 'x-auth-token': token } })
      return (await answer.json()) as readonly { readonly name: string; readonly hash: string }[]
    }
    await expect.poll(async () => (await stored()).length, { timeout: 240_000, interval: 1_000 }).toBe(written)
    const md5 = (text: string) => createHash('md5').update(text).digest('hex')
    expect(Object.fromEntries((await stored()).map(({ name, hash }) => [name, hash]))).toEqual(
      Object.fromEntries(Array.from({ length: written }, (_, i) => [`file-${i + 1}`, md5(`line ${i + 1}`)])),
    )
    say(`${written} files written through the mount meanwhile; all are in Swift`)
  })
})
