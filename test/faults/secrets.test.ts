import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { createSecrets, loadSecretKeys } from '@roost/control-plane/dist/secrets/secrets.js'
import { Agent, request } from 'undici'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startControlPlane } from '../support/http/control-plane.js'
import type { ControlPlaneProcess } from '../support/http/control-plane.js'
import { useDatabase } from '../support/database/database.js'
import { useFolder } from '../support/programs/folder.js'
import { dumpDatabase } from '../support/database/dump.js'
import { addCluster, addNode } from '../support/agents/fleet-rows.js'

const canary = 'S3CR3T-canary-that-must-not-be-seen'

const database = await useDatabase()
const dataDir = await useFolder('secrets')
let roost: ControlPlaneProcess
let dispatcher: Agent
/** Everything that the server answered, except to the writes that set a password. */
const answers: string[] = []
/** Everything that ended processes wrote. */
let written = ''

beforeAll(start)
afterAll(async () => {
  await dispatcher.destroy()
  await roost.stop()
})

async function start(): Promise<void> {
  roost = await startControlPlane({ dataDir, env: { DATABASE_URL: database.url, ROOST_LOG_LEVEL: 'debug' } })
  dispatcher = new Agent({ connect: { ca: roost.ca } })
}

async function send(method: 'GET' | 'POST' | 'PATCH', path: string, body?: object, headers: object = {}) {
  const { statusCode, body: answer } = await request(`${roost.url}${path}`, {
    dispatcher,
    method,
    headers: {
      authorization: `apikey ${(await readFile(join(dataDir, 'admin.apikey'), 'utf8')).trim()}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    body: body === undefined ? null : JSON.stringify(body),
  })
  return { status: statusCode, text: await answer.text() }
}

it('no password is in a log, an answer, the audit or the database, whatever happens', async () => {
  const cluster = await addCluster(database)
  const node = await addNode(database, cluster, { role: { create: { runsGateway: true } } })
  const user = { cluster, user: 'bob', password: canary }
  const share = { node, name: 'docs', protocol: 'cifs', objectstore_container: 'c', password: canary }
  const key = { 'idempotency-key': 'once' }
  const made = await send('POST', '/api/v1/users/', user, key)
  const shared = await send('POST', '/api/v1/gateway_shares/', share, key)
  expect([made.status, shared.status]).toEqual([201, 201])
  const login = { id: cluster, auth_url: 'http://swift.example/auth/v1.0', user: 'test:tester', key: canary }
  expect([made.text.includes(canary), shared.text.includes(canary)]).toEqual([true, true])

  const listen = async (...call: Parameters<typeof send>) => {
    const { status, text } = await send(...call)
    answers.push(text)
    return status
  }
  const uris = [made, shared].map(({ text }) => (JSON.parse(text) as { resource_uri: string }).resource_uri)
  expect(await listen('POST', '/api/v1/users/', user)).toBe(400)
  expect(await listen('POST', '/api/v1/users/', { ...user, user: 'eve', password: `${canary}\n` })).toBe(400)
  expect(await listen('POST', '/api/v1/users/', { ...user, user: 'eve', password: [canary] })).toBe(400)
  expect(await listen('POST', '/api/v1/users/', { ...user, password: `${canary}2` }, key)).toBe(422)
  expect(await listen('POST', '/api/v1/gateway_shares/', { ...share, password: `${canary} ` })).toBe(400)
  expect(await listen('POST', '/trpc/clusters.setStorage', login)).toBe(200)
  expect(await listen('POST', '/trpc/clusters.setStorage', { ...login, key: `${canary} ` })).toBe(400)
  expect(await listen('POST', '/trpc/clusters.setStorage', { ...login, key: { canary } })).toBe(400)
  expect(await listen('GET', `/trpc/clusters.storage?input={"id":${cluster}}`)).toBe(200)
  for (const uri of uris) {
    expect(await listen('PATCH', uri, { password: `${canary}3` }, { 'if-match': '"old"' })).toBe(412)
    expect(await listen('PATCH', uri, { password: { canary } })).toBe(400)
    expect(await listen('PATCH', `${uri}x/`, { password: canary })).toBe(404)
    expect(await listen('PATCH', uri, { enabled: false })).toBe(202)
    expect(await listen('GET', uri)).toBe(200)
  }
  for (const path of ['/api/v1/users/', '/api/v1/gateway_shares/', '/metrics', '/openapi.json', '/readyz'])
    await listen('GET', path)

  // A fault of ours, in the middle of a write.
  await database.pool.query('alter table audit_events rename to audit_events_away')
  expect(await listen('POST', '/api/v1/users/', { ...user, user: 'eve' })).toBe(500)
  expect(await listen('PATCH', uris[1] ?? '', { password: `${canary}4` })).toBe(500)
  await database.pool.query('alter table audit_events_away rename to audit_events')

  // A crash in the middle of one.
  const dying = send('PATCH', uris[0] ?? '', { password: `${canary}5` }).catch(() => undefined)
  await roost.kill9()
  await dying
  written += roost.output()
  await start()
  expect(await listen('GET', uris[0] ?? '')).toBe(200)

  expect(answers.filter((text) => text.includes(canary))).toEqual([])
  expect(`${written}${roost.output()}`).not.toContain(canary)
  expect(await dumpDatabase(database)).not.toContain(canary)
  expect(await dumpDatabase(database)).not.toContain(Buffer.from(canary).toString('hex'))
})

it('what is kept opens with the key file, which is for its owner alone', async () => {
  const path = join(dataDir, 'secrets.key')
  expect((await stat(path)).mode & 0o777).toBe(0o600)
  const secrets = createSecrets(await loadSecretKeys(path))
  const { password } = await database.prisma.gatewayShare.findFirstOrThrow()
  expect(secrets.open('share-password', password ?? new Uint8Array())).toBe(canary)
})
