import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createClient } from '@roost/api-types'
import { settingDefaults } from '@roost/api-types/rest'
import type { GatewayShare } from '@roost/api-types/rest'
import { createSecrets, loadSecretKeys } from '@roost/control-plane/dist/secrets/secrets.js'
import { migrate } from '@roost/database'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startControlPlane } from '../support/http/control-plane.js'
import type { ControlPlaneProcess } from '../support/http/control-plane.js'
import { createTestDatabase } from '../support/database/database.js'
import type { TestDatabase } from '../support/database/database.js'
import { readEarlierRelease, restoreEarlierRelease } from '../support/database/earlier-release.js'
import { request } from '../support/http/request.js'

const earlier = await readEarlierRelease()
/** Nothing of the fixture is too old, whenever this runs. */
const retention = {
  ROOST_USAGE_RETENTION_DAYS: '99999',
  ROOST_AUDIT_RETENTION_DAYS: '99999',
  ROOST_JOB_RETENTION_DAYS: '99999',
}

/** 0.1.0 counted 10^9 bytes as a GB; the contract has 2^30 since. */
function withMemoryOfToday(body: unknown): unknown {
  return JSON.parse(JSON.stringify(body), (name, value: unknown) =>
    name === 'ram_gb' ? (Number(value) * 1e9) / 2 ** 30 : value,
  )
}

describe('an installation of 0.1.0', () => {
  let home: string
  let database: TestDatabase
  let roost: ControlPlaneProcess
  const dataDir = () => join(home, 'data')
  const as = (key: string) => ({ url: roost.url, ca: roost.ca, key })

  beforeAll(async () => {
    home = await mkdtemp(join(tmpdir(), 'roost-earlier-'))
    database = await createTestDatabase('template1')
    await restoreEarlierRelease(dataDir(), database.url)
    roost = await startControlPlane({ dataDir: dataDir(), env: { DATABASE_URL: database.url, ...retention } })
  })
  afterAll(async () => {
    await roost?.stop()
    await database.drop()
    await rm(home, { recursive: true, force: true })
  })

  it('has the schema of this release after the first start', async () => {
    expect(await migrate(database.connection, () => {})).toEqual([])
  })

  it.each(Object.entries(earlier.answers))('is shown as 0.1.0 showed it: %s', async (path, body) => {
    expect(await request(as(earlier.keys.admin), path)).toMatchObject({ status: 200, body: withMemoryOfToday(body) })
  })

  it('lets its operators in, each with its rights', async () => {
    expect(roost.key).toBe(earlier.keys.admin)
    const { rpc, close } = createClient({ ...as(''), apiKey: earlier.keys.admin })
    const { objects } = await rpc.operators.list.query({})
    await close()
    expect(objects.map(({ name, role }) => [name, role])).toEqual([
      ['admin', 'admin'],
      ['reader', 'read_only'],
    ])
    expect((await request(as(earlier.keys.reader), '/api/v1/users/')).status).toBe(200)
    expect((await request(as(earlier.keys.reader), '/api/v1/nodes/1/', { enabled: false })).status).toBe(403)
  })

  it('keeps the roles in which its nodes were deployed, and grants no other', async () => {
    const deployed = await database.prisma.nodeDeployment.findMany({ where: { desired: { gt: 0 } } })
    expect(deployed.length).toBeGreaterThan(0)
    const nodes = await database.prisma.node.findMany()
    for (const { id, rolesGranted } of nodes) {
      const kinds = deployed.filter(({ nodeId }) => nodeId === id).map(({ kind }) => kind)
      expect(rolesGranted.toSorted()).toEqual(
        kinds.map((kind) => (kind === 'gateway' ? 'runs_gateway' : 'runs_proxy')).toSorted(),
      )
    }
  })

  it('has every secret, which its own key opens', async () => {
    const secrets = createSecrets(await loadSecretKeys(join(dataDir(), 'secrets.key')))
    const users = await database.prisma.user.findMany()
    const passwords = users.map(({ name, password }) => [
      name,
      secrets.open('user-password', password ?? new Uint8Array()),
    ])
    expect(Object.fromEntries(passwords)).toEqual(earlier.users)
    const shares = await database.prisma.gatewayShare.findMany({ where: { password: { not: null } } })
    const opened = shares.map(({ name, password }) => [name, password && secrets.open('share-password', password)])
    expect(Object.fromEntries(opened)).toEqual(earlier.shares)
    const [login] = await database.prisma.storageLogin.findMany()
    expect(login && secrets.open('storage-key', login.key)).toBe(earlier.storage)
  })

  it('has shares that were stored before a setting existed, with its default', async () => {
    const shares = async () => {
      const { status, body } = await request(as(earlier.keys.admin), '/api/v1/gateway_shares/')
      return { status, objects: (body as { objects: GatewayShare[] }).objects }
    }
    const before = await shares()
    await database.prisma.$executeRaw`update gateway_shares set options = '{}'`
    const expected = before.objects.map((share) => ({ ...share, ...settingDefaults(share.protocol) }))
    expect(await shares()).toEqual({ status: 200, objects: expected })
  })

  it('can be changed', async () => {
    const changed = await request(as(earlier.keys.admin), '/api/v1/gateway_shares/1/', { upload_delay: 7 })
    expect(changed).toMatchObject({ status: 202, body: { upload_delay: 7 } })
  })
})
