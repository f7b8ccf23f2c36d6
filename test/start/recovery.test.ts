import { mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createClient } from '@roost/api-types'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startControlPlane } from '../support/control-plane.js'
import type { ControlPlaneProcess } from '../support/control-plane.js'
import { request } from '../support/request.js'
import type { Answer } from '../support/request.js'

let dataDir: string
let roost: ControlPlaneProcess

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'roost-recover-'))
  roost = await startControlPlane({ dataDir })
})
afterAll(async () => {
  await roost.stop()
  await rm(dataDir, { recursive: true })
})

async function postmasterPid(): Promise<number> {
  return Number((await readFile(join(dataDir, 'pgdata/postmaster.pid'), 'utf8')).split('\n')[0])
}

/** Made by a caller from outside, and accepted. */
async function addCluster(name: string): Promise<void> {
  const client = createClient({ url: roost.url, apiKey: roost.key, ca: roost.ca })
  await client.rpc.clusters.create.mutate({ name })
  await client.close()
}

/** The copies of PostgreSQL's programs in the data directory. */
const programs = async () => (await readdir(dataDir)).filter((name) => name.startsWith('postgresql-'))

async function clusterNames(): Promise<readonly string[]> {
  const { body } = await request(roost, '/api/v1/clusters/')
  return (body as { objects: { name: string }[] }).objects.map(({ name }) => name)
}

describe('after kill -9', () => {
  it('of the control plane, the next one takes over the living database', async () => {
    await addCluster('kept-1')
    const postmaster = await postmasterPid()
    await roost.kill9()
    // Of an earlier release, from which the living database may run.
    await mkdir(join(dataDir, 'postgresql-0.0.1/bin'), { recursive: true })
    roost = await startControlPlane({ dataDir })
    expect(await postmasterPid()).toBe(postmaster)
    expect(await programs()).toHaveLength(2)
    expect(await clusterNames()).toContain('kept-1')
  })

  it('of everything, the next start recovers by itself', async () => {
    await addCluster('kept-2')
    const postmaster = await postmasterPid()
    await roost.kill9()
    process.kill(postmaster, 'SIGKILL')
    roost = await startControlPlane({ dataDir })
    expect(await clusterNames()).toEqual(expect.arrayContaining(['kept-1', 'kept-2']))
    expect(await programs()).toHaveLength(1)
  })

  it('of the database, requests get 503 with Retry-After until it is back, without an operator', async () => {
    await addCluster('kept-3')
    process.kill(await postmasterPid(), 'SIGKILL')
    const answers: Answer[] = []
    const typed: Answer[] = []
    for (const deadline = Date.now() + 120_000; Date.now() < deadline; await sleep(5)) {
      const [rest, rpc] = await Promise.all([
        request(roost, '/api/v1/clusters/'),
        request(roost, '/trpc/clusters.list'),
      ])
      answers.push(rest)
      typed.push(rpc)
      if (answers.at(-1)?.status === 200 && answers.some(({ status }) => status === 503)) break
    }
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 503]))
    const refused = answers.filter(({ status }) => status === 503)
    const message = 'The database does not answer. Try again in a moment.'
    for (const { body } of refused) expect(body).toEqual({ error: message })
    for (const { body } of typed.filter(({ status }) => status !== 200))
      expect(body).toMatchObject({ error: { message, data: { code: 'SERVICE_UNAVAILABLE' } } })
    expect(refused.every(({ headers }) => /^\d+$/.test(headers['retry-after'] ?? ''))).toBe(true)
    expect(await clusterNames()).toContain('kept-3')
    expect(roost.output()).not.toMatch(/unhandled|uncaught/i)
  })
})
