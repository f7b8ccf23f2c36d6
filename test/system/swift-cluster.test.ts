import type { Job } from '@roost/api-types/rest'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { addCluster } from '../support/agents/fleet-rows.js'
import { waitForJob } from '../support/gateway/deployment-lab.js'
import { startApi } from '../support/http/api.js'
import type { TestApi } from '../support/http/api.js'
import { isKeystoneEnabled, startKeystone } from '../support/keystone/keystone.js'
import type { Keystone } from '../support/keystone/keystone.js'
import { addProject, addUser, grantRole, registerSwift } from '../support/keystone/object-store.js'
import { signIn } from '../support/keystone/session.js'
import { startMachine } from '../support/swift/machine.js'
import type { Machine } from '../support/swift/machine.js'
import { logIn } from '../support/swift/session.js'
import type { Session } from '../support/swift/session.js'
import { bootSwiftCluster, findSwiftRoot } from '../support/systemd/swift-cluster.js'
import type { SwiftCluster, SwiftClusterNode } from '../support/systemd/swift-cluster.js'

const waitOptions = { timeout: 240_000, interval: 500 }
const password = 'bobs-password-is-this-1'
const bytes = 3_000_000
const isLong = process.env['ROOST_TEST_LONG'] === '1'
const found = isLong ? await findSwiftRoot() : { missing: 'with ROOST_TEST_LONG=1' }
const missing = 'missing' in found ? found.missing : isKeystoneEnabled ? undefined : 'without keystone'
const skipped = missing === undefined ? '' : ` (not here: ${missing})`

describe.skipIf(missing !== undefined)(
  `a Swift of Debian under systemd, with an erasure code and a proxy on Keystone${skipped}`,
  { timeout: 600_000 },
  () => {
    let keystone: Keystone
    let machine: Machine
    let api: TestApi
    let swift: SwiftCluster
    let cluster: string
    let project: string
    let bob: string
    /** Of bob, by each proxy of tempauth. */
    let sessions: readonly Session[]
    const start = new Date().toISOString()

    beforeAll(async () => {
      if ('missing' in found) return
      ;[keystone, machine, api] = await Promise.all([startKeystone(), startMachine(), startApi()])
      const admin = await keystone.admin()
      const registered = await registerSwift(keystone, [])
      project = await addProject(admin, 'kate')
      await grantRole(admin, 'member', await addUser(admin, 'kate', password), project)
      await machine.publish(keystone.port)
      const id = await addCluster(api.database, 'debian')
      cluster = `/api/v1/clusters/${id}/`
      swift = await bootSwiftCluster(machine, { root: found.path, api, cluster: id, keystone: registered })
      await vi.waitFor(async () => {
        if ((await online()) !== 3) throw new Error('The agents are not online yet.')
      }, waitOptions)
    }, 900_000)
    afterAll(async () => {
      await machine?.remove()
      await keystone?.remove()
      await api?.stop()
    })

    const online = async () => (await api.get('/api/v1/nodes/?state=online')).body.meta.total_count
    const deployUsers = async (): Promise<Job> => {
      const { body } = await api.call('/api/v1/user_db_deployments/', { method: 'POST', body: { cluster } })
      return waitForJob((path) => api.get(path), body, 300_000)
    }
    const request = (method: string, { account, token }: Session, path: string, body?: Uint8Array, policy?: string) =>
      fetch(`${account}${path}`, {
        method,
        headers: { 'x-auth-token': token, connection: 'close', ...(policy ? { 'x-storage-policy': policy } : {}) },
        ...(body ? { body } : {}),
      })
    const usageOf = async (kind: string, account: string) =>
      (await api.get(`${cluster}utilization/${kind}/${account}/?start=${start}`)).body.objects[0]
    const reasons = async (): Promise<readonly string[]> =>
      (await api.get(`${cluster}health/`)).body.reasons
        .map(({ code, subject }: Record<string, string>) => `${code} ${subject}`)
        .filter((name: string) => !name.startsWith('mount_check_off'))

    const readNodes = async () =>
      (await api.get(`${cluster}health/`)).body.nodes.filter(
        ({ quarantined }: { quarantined: { objects: number | null } }) => quarantined.objects === 0,
      ).length

    it('is healthy, and its policies say what they keep of their devices', async () => {
      await expect.poll(readNodes, waitOptions).toBe(2)
      await expect.poll(reasons, waitOptions).toEqual([])
      const { body } = await api.get('/api/v1/storage_policies/?order_by=index')
      const [gold, archive] = body.objects
      expect(gold).toMatchObject({ name: 'gold', replicas: 2, ec: null, usable_bytes: Math.floor(gold.raw_bytes / 2) })
      expect(archive).toMatchObject({
        name: 'archive',
        replicas: 6,
        ec: { type: 'liberasurecode_rs_vand', data_fragments: 4, parity_fragments: 2 },
        usable_bytes: Math.floor((archive.raw_bytes * 4) / 6),
      })
    })

    it('gets users on its proxies of tempauth, and says which proxy is on Keystone', async () => {
      const proxies = async () =>
        (await api.get('/api/v1/nodes/?order_by=id')).body.objects.map(
          ({ hostname, proxy_authentication: name }: Record<string, string>) => `${hostname} ${name}`,
        )
      await expect.poll(proxies, waitOptions).toEqual(['store-k1 keystone', 'store-n1 tempauth', 'store-n2 tempauth'])
      const body = { cluster, user: 'bob', password }
      bob = (await api.call('/api/v1/users/', { method: 'POST', body })).body.resource_uri
      const job = await deployUsers()
      expect(job).toMatchObject({ state: 'COMPLETED_SUCCESS', message: '' })
      expect(job.targets).toMatchObject([{ state: 'applied' }, { state: 'applied' }])
      expect(job.left_out).toMatchObject([{ message: 'authenticates with Keystone' }])
      sessions = await Promise.all(swift.storage.map(({ proxyUrl }) => logIn(proxyUrl, 'bob:bob', password)))
      expect(sessions.map(({ status }) => status)).toEqual([200, 200])
    })

    it('stores fragments of what is uploaded by one proxy and read by the other, and counts both to the byte', async () => {
      const [one, two] = sessions
      if (!one || !two) throw new Error('bob is not logged in.')
      const sent = new Uint8Array(bytes).map((_, i) => i % 251)
      expect((await request('PUT', one, '/coded', undefined, 'archive')).status).toBe(201)
      expect((await request('PUT', one, '/coded/large', sent)).status).toBe(201)
      const read = await request('GET', two, '/coded/large')
      expect(Buffer.from(await read.arrayBuffer()).equals(sent)).toBe(true)
      const account = 'AUTH_bob'
      await expect.poll(async () => (await usageOf('transfer', account))?.bytes_in, waitOptions).toBe(bytes)
      await expect.poll(async () => (await usageOf('transfer', account))?.bytes_out, waitOptions).toBe(bytes)
      await expect.poll(async () => (await usageOf('storage/1', account))?.bytes_used, waitOptions).toBe(bytes)
      const { stdout } = await swift.storage[0].run('find', ['/srv/node', '-path', '*objects-1*', '-name', '*#*d.data'])
      expect(stdout.trim().split('\n')).toHaveLength(3)
    })

    it('lets users of Keystone in by the third proxy, whose transfer counts in the same cluster', async () => {
      const { token } = await signIn(keystone.url, { name: 'kate', password, project: 'kate' })
      const account = `AUTH_${project}`
      const session = { status: 200, token, account: `${swift.keystoneProxy.proxyUrl}/v1/${account}` }
      const put = async (path: string, body?: Uint8Array) =>
        (await request('PUT', session, path, body, 'archive')).status
      await expect.poll(() => put('/coded'), waitOptions).toBe(201)
      expect(await put('/coded/small', new Uint8Array(4_097))).toBe(201)
      await expect.poll(async () => (await usageOf('transfer', account))?.bytes_in, waitOptions).toBe(4_097)
      await expect.poll(async () => (await usageOf('storage/1', account))?.bytes_used, waitOptions).toBe(4_097)
    })

    it('shuts a disabled user out on every proxy, with the tokens of before', async () => {
      expect((await api.patch(bob, { enabled: false })).status).toBe(202)
      expect((await deployUsers()).state).toBe('COMPLETED_SUCCESS')
      const statuses = async () => Promise.all(sessions.map(async (one) => (await request('HEAD', one, '')).status))
      expect(await statuses()).toEqual([401, 401])
    })

    it('shows a unit that was stopped until it runs again', async () => {
      const [node] = swift.storage
      await node.exec('systemctl stop swift-object-reconstructor swift-container')
      const expected = ['daemon_stopped object-reconstructor', `server_down container-server ${node.address}:6201`]
      await expect
        .poll(async () => (await reasons()).filter((one) => expected.includes(one)).toSorted(), waitOptions)
        .toEqual(expected)
      await node.exec('systemctl start swift-object-reconstructor swift-container')
      await expect.poll(reasons, waitOptions).toEqual([])
    })

    it('is as it was after a restart of a node', async () => {
      const [one, two] = swift.storage
      await two.reboot()
      await expect.poll(online, waitOptions).toBe(3)
      await expect.poll(reasons, waitOptions).toEqual([])
      expect((await api.patch(bob, { enabled: true })).status).toBe(202)
      expect((await deployUsers()).state).toBe('COMPLETED_SUCCESS')
      const session = await logIn(one.proxyUrl, 'bob:bob', password)
      expect((await (await request('GET', session, '/coded/large')).arrayBuffer()).byteLength).toBe(bytes)
    })

    it('says by its doctor how each node is, from the unit of its agent', async () => {
      const findings = async (node: SwiftClusterNode): Promise<object> => {
        const { stdout } = await node.run('roost-agent', ['doctor', '-o', 'json'])
        const found = JSON.parse(stdout) as readonly Readonly<Record<'check' | 'verdict' | 'message', string>>[]
        return Object.fromEntries(found.map(({ check, verdict, message }) => [check, `${verdict}: ${message}`]))
      }
      const running = {
        systemd: 'ok: roost-agent.service is active',
        enrollment: expect.stringMatching(/^ok: node \d+ of the cluster debian/),
        'control plane': expect.stringMatching(/^ok: /),
      }
      expect(await findings(swift.storage[0])).toMatchObject({
        ...running,
        users: expect.stringContaining('users are deployed to /etc/swift/proxy-server.conf.d/50-roost-users.conf'),
      })
      expect(await findings(swift.keystoneProxy)).toMatchObject({
        ...running,
        users: expect.stringMatching(/^warn: .* authenticates with Keystone/),
      })
    })

    it('shows a daemon that its unit starts again and again', async () => {
      const [node] = swift.storage
      const folder = '/etc/systemd/system/swift-object-updater.service.d'
      await node.exec(`mkdir -p ${folder}
        printf '[Service]\\nExecStart=\\nExecStart=/bin/false\\nRestart=always\\nRestartSec=3\\n' >${folder}/loop.conf
        systemctl daemon-reload && systemctl restart swift-object-updater || true`)
      await expect.poll(reasons, waitOptions).toEqual(['daemon_restarts object-updater'])
    })
  },
)
