import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { GatewayShare } from '@roost/api-types/rest'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { startApi } from '../support/http/api.js'
import type { TestApi } from '../support/http/api.js'
import { repository } from '../support/http/control-plane.js'
import { waitForJob } from '../support/gateway/deployment-lab.js'
import { enrollmentArguments } from '../support/agents/enrollment.js'
import { addCluster } from '../support/agents/fleet-rows.js'
import { startSwift } from '../support/swift/cluster.js'
import type { Swift } from '../support/swift/cluster.js'
import { logIn } from '../support/swift/session.js'
import { bootContainer } from '../support/systemd/container.js'
import type { SystemdContainer } from '../support/systemd/container.js'
import { findSystemdRoot } from '../support/systemd/root.js'

const containers = [
  'a$b',
  'a$$b',
  '$$',
  '${HOME}',
  '%n',
  '100%',
  'two  blanks',
  "it's",
  '"quoted"',
  'back\\slash\\',
  '\\$x\\x24',
  '`id` $(id) ; & | < > * ?',
  'ünïcødé ā 文',
]
const waitMs = 180_000
const dataDir = '/var/lib/roost-agent'
const packaged = (file: string) => readFileSync(join(repository, 'apps/node-agent/systemd', file), 'utf8')

const samba = `[global]
netbios name = LABGW
disable netbios = yes
smb ports = 445
map to guest = Bad User
load printers = no
disable spoolss = yes
`
// Each server of shares writes how many mounts there are when it starts.
const recordMounts = (name: string) =>
  `/bin/sh -c "grep -c ' fuse.rclone ' /proc/self/mountinfo >/run/mounts-before-${name} || true"`
const nfsStandIn = `[Service]
Type=oneshot
ExecStart=${recordMounts('nfs')}
[Install]
WantedBy=multi-user.target
`
// As docs/agent.md installs the agent on a gateway; the cache's folder is an argument of rclone, too.
const files = [
  ['/etc/systemd/system/roost-agent.service', packaged('roost-agent.service')],
  // A shorter watchdog, so that the test does not wait for 30 s.
  ['/etc/systemd/system/roost-agent.service.d/test.conf', '[Service]\nWatchdogSec=8\nRestartSec=1\n'],
  ['/etc/systemd/system/smbd.service.d/test.conf', `[Service]\nExecStartPre=${recordMounts('samba')}\n`],
  ['/etc/systemd/system/nfs-ganesha.service', nfsStandIn],
  ['/usr/lib/sysusers.d/roost-agent.conf', packaged('roost-agent.sysusers')],
  ['/etc/samba/smb.conf', samba],
  [
    `${dataDir}/config.json`,
    JSON.stringify({
      roles: { runs_gateway: true },
      devices: [],
      gateway: { cache_directory: "/var/cache/roost $$ %n 'x'" },
    }),
  ],
] as const

const found = await findSystemdRoot()
const skipped = 'missing' in found ? ` (not here: ${found.missing})` : ''

describe.skipIf(skipped !== '')(`a gateway under systemd${skipped}`, () => {
  let swift: Swift
  let api: TestApi
  let gateway: SystemdContainer
  let node: string
  let shares: readonly GatewayShare[]

  const post = async (path: string, body: object) => {
    const answer = await api.call(path, { method: 'POST', body })
    if (answer.status > 201) throw new Error(`POST ${path} answers ${answer.status}: ${answer.text}`)
    return answer.body
  }
  const mounts = async () =>
    (await gateway.exec('cat /proc/self/mountinfo')).split('\n').filter((line) => line.includes(' fuse.rclone ')).length
  const rclones = () => gateway.exec(`cut -d" " -f1 ${dataDir}/mounts/run/share-*.pid`)
  const agentPid = () => gateway.exec('systemctl show -P MainPID roost-agent')
  const isOnline = async () => expect((await api.get(node)).body).toMatchObject({ state: 'online' })
  const writeToShares = async (object: string) => {
    for (const { id, objectstore_container: container } of shares) {
      const content = Buffer.from(`${object} ${container}`).toString('base64')
      await gateway.exec(`echo ${content} | base64 -d >/srv/roost/shares/${id}/${object}`)
    }
  }
  /** Writes to each share the name of its container, and waits until that object is in exactly this container. */
  const expectStored = async (object: string) => {
    await writeToShares(object)
    const session = await logIn(swift.proxyUrl, 'test:tester', 'testing')
    const headers = { 'x-auth-token': session.token }
    const etagOf = async (container: string) => {
      const answer = await fetch(`${session.account}/${encodeURIComponent(container)}/${object}`, {
        method: 'HEAD',
        headers,
      })
      return answer.headers.get('etag')
    }
    const md5 = (text: string) => createHash('md5').update(text).digest('hex')
    const stored = async () =>
      Object.fromEntries(await Promise.all(containers.map(async (name) => [name, await etagOf(name)])))
    const expected = Object.fromEntries(containers.map((name) => [name, md5(`${object} ${name}`)]))
    await expect.poll(stored, { timeout: waitMs, interval: 500 }).toEqual(expected)
    const list = await (await fetch(session.account, { headers })).text()
    expect(list.split('\n').filter(Boolean).toSorted()).toEqual(containers.toSorted())
  }

  beforeAll(async () => {
    if ('missing' in found) return
    ;[api, swift] = await Promise.all([startApi(), startSwift()])
    const masked = ['nmbd.service', 'samba-ad-dc.service', 'winbind.service', 'systemd-networkd.service']
    gateway = await bootContainer(swift.machine, { root: found.path, files, masked })
    const cluster = await addCluster(api.database)
    await swift.publish(Number(new URL(api.url).port))
    await gateway.exec(`ln -s ${repository}/apps/node-agent/bin/roost-agent.js /usr/bin/roost-agent
      systemd-sysusers && systemctl daemon-reload
      roost-agent gateway prepare --yes && systemctl restart smbd`)
    const enrolled = await gateway.run('roost-agent', await enrollmentArguments(api, cluster))
    if (enrolled.code !== 0) throw new Error(`The agent could not enroll: ${enrolled.stderr}`)
    await gateway.exec('systemctl enable --now roost-agent || { journalctl -u roost-agent >&2; exit 1; }')
    node = `/api/v1/nodes/${(await api.database.prisma.node.findFirstOrThrow({ where: { clusterId: cluster } })).id}/`
    // Its role comes with its first inventory.
    const isGateway = async () =>
      expect((await api.get(node)).body).toMatchObject({ node_role: { runs_gateway: true } })
    await vi.waitFor(isGateway, { timeout: waitMs, interval: 200 })
    const login = { id: cluster, auth_url: `${swift.innerProxyUrl}/auth/v1.0`, user: 'test:tester', key: 'testing' }
    await post('/trpc/clusters.setStorage', login)
    shares = await Promise.all(
      containers.map((container, i) =>
        post('/api/v1/gateway_shares/', {
          node,
          enabled: true,
          protocol: 'cifs',
          name: `share${i}`,
          objectstore_container: container,
          // The container's disk is in memory, and too small for equal parts of 1 GiB.
          cache_size_mb: 64,
        }),
      ),
    )
  }, 600_000)
  afterAll(async () => {
    // In order: a mount in use may hold up the end of the machine.
    await gateway?.exec('systemctl stop roost-agent && systemctl stop "roost-share-*"')
    await api?.stop()
    await swift?.stop()
  })

  it('mounts containers whose names have $, %, blanks, quotes, backslashes and other letters', async () => {
    const job = await waitForJob((path) => api.get(path), await post('/api/v1/gateway_deployments/', { node }), waitMs)
    expect(job).toMatchObject({ state: 'COMPLETED_SUCCESS' })
    expect(await mounts()).toBe(containers.length)
    const units = await gateway.exec('systemctl list-units --no-legend --plain "roost-share-*"')
    expect(units.trim().split('\n')).toHaveLength(containers.length)
  })

  it('has the exact time in the log of each rclone', async () => {
    const times = await gateway.exec(
      `grep -hoE "^[0-9/]{10} [0-9:]{8}[.][0-9]{6} NOTICE: Serving remote control" ${dataDir}/mounts/run/share-*.log`,
    )
    expect(times.trim().split('\n')).toHaveLength(containers.length)
  })

  it('stores what clients write in the container of exactly that name', async () => {
    await expectStored('first.txt')
    expect(await mounts()).toBe(containers.length)
  })

  it('leaves the mounts alone when the agent restarts', async () => {
    const before = await rclones()
    await gateway.exec('systemctl restart roost-agent')
    await vi.waitFor(isOnline, { timeout: waitMs, interval: 200 })
    await expectStored('second.txt')
    expect(await rclones()).toBe(before)
  })

  it('serves on while the agent is stopped', async () => {
    const before = await rclones()
    await gateway.exec('systemctl stop roost-agent')
    await expectStored('third.txt')
    expect(await mounts()).toBe(containers.length)
    await gateway.exec('systemctl start roost-agent')
    await vi.waitFor(isOnline, { timeout: waitMs, interval: 200 })
    expect(await rclones()).toBe(before)
  })

  it.each([
    ['the watchdog restarts it', 'STOP'],
    ['it is killed', 'KILL'],
  ])('keeps the mounts when %s', async (_how, signal) => {
    const [before, pid] = [await rclones(), await agentPid()]
    await gateway.exec(`kill -${signal} ${pid}`)
    await expect.poll(agentPid, { timeout: waitMs, interval: 200 }).not.toBe(pid)
    const state = () => gateway.exec('systemctl show -P ActiveState roost-agent')
    await expect.poll(state, { timeout: waitMs, interval: 200 }).toBe('active\n')
    expect(await rclones()).toBe(before)
    await vi.waitFor(isOnline, { timeout: waitMs, interval: 200 })
  })

  it('mounts all containers at boot, before Samba and NFS start', async () => {
    await gateway.exec('systemctl enable nfs-ganesha')
    await gateway.reboot()
    expect(await gateway.exec('systemctl is-active roost-agent smbd')).toBe('active\nactive\n')
    const counts = await gateway.exec('cat /run/mounts-before-samba /run/mounts-before-nfs')
    expect(counts).toBe(`${containers.length}\n${containers.length}\n`)
    await vi.waitFor(isOnline, { timeout: waitMs, interval: 200 })
    await expectStored('fourth.txt')
  })

  it('is left by one command, once what was just written is in Swift, and its agent runs without rights of root', async () => {
    await writeToShares('fifth.txt')
    const { code, stdout, stderr } = await gateway.run('roost-agent', ['gateway', 'leave', '--end-shares', '--yes'])
    expect([code, stderr, stdout]).toEqual([0, '', expect.stringMatching(/^Waits until \d+ files[^]*\nDone\.\n$/m)])
    expect(await mounts()).toBe(0)
    const session = await logIn(swift.proxyUrl, 'test:tester', 'testing')
    for (const container of containers) {
      const path = `${session.account}/${encodeURIComponent(container)}/fifth.txt`
      expect(await (await fetch(path, { headers: { 'x-auth-token': session.token } })).text()).toBe(
        `fifth.txt ${container}`,
      )
    }
    expect(await gateway.exec('ps -o user= -p $(systemctl show -P MainPID roost-agent)')).toBe('roost-agent\n')
    expect(await gateway.exec('cat /etc/samba/smb.conf')).toBe(samba)
  })
})
