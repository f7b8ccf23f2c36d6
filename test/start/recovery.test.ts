import { mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createClient } from '@roost/api-types'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startControlPlane } from '../support/http/control-plane.js'
import type { ControlPlaneProcess } from '../support/http/control-plane.js'
import { request } from '../support/http/request.js'
import type { Answer } from '../support/http/request.js'

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

/** Answers the process that it was. */
async function killDatabase(): Promise<number> {
  const postmaster = await postmasterPid()
  process.kill(postmaster, 'SIGKILL')
  return postmaster
}

/** Whether another process has taken the place of this one, and is ready: the last word of its file. */
async function isBackSince(killed: number): Promise<boolean> {
  const lines = (await readFile(join(dataDir, 'pgdata/postmaster.pid'), 'utf8').catch(() => '')).split('\n')
  return Number(lines[0]) !== killed && lines[7]?.trim() === 'ready'
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
    let killed = await killDatabase()
    const answers: Answer[] = []
    const typed: Answer[] = []
    for (const deadline = Date.now() + 120_000; Date.now() < deadline; await sleep(10)) {
      const [rest, rpc] = await Promise.all([
        request(roost, '/api/v1/clusters/'),
        request(roost, '/trpc/clusters.list'),
      ])
      answers.push(rest)
      typed.push(rpc)
      if (rest.status !== 200) continue
      if (answers.some(({ status }) => status === 503)) break
      // On a machine that stood still it may have been back before anybody asked.
      if (await isBackSince(killed)) killed = await killDatabase()
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
