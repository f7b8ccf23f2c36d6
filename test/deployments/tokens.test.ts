import type { Job } from '@roost/api-types/rest'
import { beforeEach, expect, it } from 'vitest'
import { addLabNode, waitForJob } from '../support/gateway/deployment-lab.js'
import type { LabNode } from '../support/gateway/deployment-lab.js'
import { addCluster } from '../support/agents/fleet-rows.js'
import { shareApi } from '../support/http/shared-api.js'

const server = shareApi()
let cluster = ''
let proxies: LabNode[] = []
beforeEach(async () => {
  const { controlPlane, database } = server.api
  const clusterId = await addCluster(database)
  cluster = `/api/v1/clusters/${clusterId}/`
  const role = { runsProxy: true }
  proxies = [
    await addLabNode(controlPlane, database, clusterId, role),
    await addLabNode(controlPlane, database, clusterId, role),
  ]
  await Promise.all(proxies.map((node) => node.start()))
  return async () => void (await Promise.all(proxies.map((node) => node.remove())))
})

const deploy = async (): Promise<Job> => (await server.post('/api/v1/user_db_deployments/', { cluster })).body
const jobNow = async ({ resource_uri: uri }: Job): Promise<Job> => (await server.get(uri)).body

it('every proxy is asked to end tokens once the last one has the users, and the job ends after that', async () => {
  const asked: [number, number][] = []
  let release = () => {}
  const released = new Promise<void>((resolve) => (release = resolve))
  for (const { id, tokens } of proxies)
    tokens.end = async ({ generation }) => {
      asked.push([id, generation])
      await released
      return { ended: 1, notes: [] }
    }
  const job = await deploy()
  await expect.poll(() => asked.length, { timeout: 60_000 }).toBe(2)
  expect(new Map(asked)).toEqual(new Map(proxies.map(({ id }) => [id, 1])))
  expect(await jobNow(job)).toMatchObject({
    state: 'IN_PROGRESS',
    targets: [{ state: 'applied' }, { state: 'applied' }],
  })
  release()
  expect(await waitForJob(server.get, job)).toMatchObject({ state: 'COMPLETED_SUCCESS', message: '' })
  expect(asked).toHaveLength(2)
})

it('a job is no success while tokens may remain, and names where', async () => {
  const [one, two] = proxies
  if (one === undefined || two === undefined) throw new Error('There are no proxies.')
  one.tokens.end = async () => ({ ended: 0, notes: ['Tokens of bob:bob may live.'] })
  two.tokens.end = () => Promise.reject(new Error('no memory'))
  const { state, message } = await waitForJob(server.get, await deploy())
  expect(state).toBe('COMPLETED_FAILED')
  expect(message).toContain('Tokens of bob:bob may live.')
  expect(message).toContain('Tokens of changed users may stay valid until they expire: no memory')
})
