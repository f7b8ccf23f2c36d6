import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { encodeMetricFrame } from '@roost/api-types/agent'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { repository } from '../support/http/control-plane.js'
import { addCluster } from '../support/agents/fleet-rows.js'
import { createOutsideProject } from '../support/http/outside-project.js'
import type { OutsideProject } from '../support/http/outside-project.js'
import { expectPromised } from '../support/clock/promised.js'
import { shareApi } from '../support/http/shared-api.js'

vi.setConfig({ testTimeout: 400_000, hookTimeout: 500_000 })

const server = shareApi()
let project: OutsideProject | undefined
let env: Readonly<Record<string, string>>
beforeAll(async () => {
  project = await createOutsideProject()
  const { PATH = '' } = process.env
  env = { PATH, ROOST_URL: server.api.url, ROOST_DATA_DIR: server.api.controlPlane.dataDir }
})
afterAll(() => project?.remove())

it('the example of docs/api.md compiles and runs as it stands, in a project that has nothing but the package', async () => {
  const text = await readFile(join(repository, 'docs/api.md'), 'utf8')
  const [, example = ''] = /## Typed\n.*?```ts\n(.*?)```/s.exec(text) ?? []
  expect(example.split('\n').length).toBeGreaterThan(20)
  const { code, lines } = await compileAndRun('example', example)
  const [nodes, fault, ...states] = lines
  expect([nodes, fault, states.at(-1)]).toEqual([
    '0 nodes are online; the largest: none',
    "BAD_REQUEST { password: [ 'Ensure this value has at least 20 characters.' ] }",
    'COMPLETED_FAILED The cluster has no nodes that run a proxy and are approved for it.',
  ])
  for (const state of states.slice(0, -1)) expect(state).toMatch(/^(QUEUED|IN_PROGRESS) /)
  expect(code).toBe(0)
})

describe('a program that subscribes', () => {
  const expected = {
    states: expect.arrayContaining([expect.objectContaining({ state: expect.any(String) })]),
    node: expect.arrayContaining([expect.objectContaining({ metric_name: 'load.shortterm', value: 0.5 })]),
    cluster: expect.arrayContaining([expect.objectContaining({ metric_name: 'load.shortterm', value: 0.5 })]),
    job: expect.objectContaining({ targets: [expect.objectContaining({ state: 'waiting' })] }),
  }

  it('receives the current state, and ends once it has closed its client', async () => {
    const { code, seen } = await subscribe('close')
    expect(code).toBe(0)
    for (const [name, first] of Object.entries(expected)) expect(seen[name]).toMatchObject({ first, end: 'complete' })
  })

  it('is disconnected at the end of its key, in the promised time, with that reason', async () => {
    const { code, seen } = await subscribe('revoke')
    expect(code).toBe(0)
    for (const [name, first] of Object.entries(expected))
      expect(seen[name]).toMatchObject({ first, end: 'UNAUTHORIZED' })
    const longestMs = Math.max(...Object.values(seen).map(({ cutMs }) => cutMs ?? Infinity))
    expectPromised('subscriptions of a program after the end of its key', longestMs, 5_000)
  })
})

async function compileAndRun(name: string, source: string, more: Readonly<Record<string, string>> = {}) {
  if (project === undefined) throw new Error('There is no project.')
  expect(await project.compile(name, source)).toMatchObject({ code: 0, stdout: '' })
  const { code, stdout, stderr } = await project.run(name, { ...env, ...more })
  expect(stderr).toBe('')
  return { code, lines: stdout.trimEnd().split('\n') }
}

async function subscribe(end: 'close' | 'revoke') {
  const { database, context } = server.api
  const cluster = await addCluster(database)
  const node = await server.addGateway(cluster)
  const { intake } = context.metrics
  intake.connected(node)
  await intake.catalogue(node, { id: 1, metrics: [{ name: 'load.shortterm', unit: 'load', aggregation: 'sum' }] })
  let sequence = 0n
  const report = () => {
    const frame = { catalogue: 1, sequence: (sequence += 1n), time: Date.now() / 1000, values: Float64Array.of(0.5) }
    intake.frame(node, encodeMetricFrame(frame))
  }
  report()
  // Until the program asks, however long its compilation takes: values of half a minute ago are none.
  const reporting = setInterval(report, 5_000)
  const { body } = await server.post('/api/v1/gateway_deployments/', { node })
  const source = await readFile(join(repository, 'test/client/outside/subscribe.ts'), 'utf8')
  const ids = { CLUSTER_ID: String(cluster), NODE_ID: String(node), JOB_ID: body.id }
  const running = compileAndRun('subscribe', source, { ...ids, END: end })
  const { code, lines } = await running.finally(() => clearInterval(reporting))
  return { code, seen: JSON.parse(lines[0] ?? '{}') as Record<string, { cutMs: number | null }> }
}
