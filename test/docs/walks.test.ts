import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Collector } from '@roost/node-agent/dist/collectors/engine/collector.js'
import { gauge } from '@roost/node-agent/dist/collectors/engine/metric.js'
import { createReadings } from '@roost/node-agent/dist/collectors/engine/readings.js'
import { load } from '@roost/node-agent/dist/collectors/load.js'
import { openMachine } from '@roost/node-agent/dist/machine/machine.js'
import { scriptedGateway } from '@roost/node-agent/dist/shares/testing/scripted-servers.js'
import type { ScriptedGateway } from '@roost/node-agent/dist/shares/testing/scripted-servers.js'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { addCluster, addDevice } from '../support/agents/fleet-rows.js'
import { SimulatedClock } from '../support/clock/simulated-clock.js'
import { addLabNode, waitForJob } from '../support/gateway/deployment-lab.js'
import type { LabNode } from '../support/gateway/deployment-lab.js'
import { repository } from '../support/http/control-plane.js'
import { shareApi } from '../support/http/shared-api.js'
import { FileCoverage, filesOfEach } from '../support/programs/file-coverage.js'

/** The files of each walk when its limit was set; those of a deployment vary by a few. A longer walk is a reason to simplify. */
const limits = { reading: 51, request: 28, deployment: 113 }
const reportIntervalMs = 10_000
/** Longer than the periods of the work that a control plane does every few seconds. */
const idleMs = 6_000
const runs = 4

const server = shareApi()
const clock = new SimulatedClock(Date.now())
const page = readFileSync(join(repository, 'docs/architecture.md'), 'utf8')
let coverage: FileCoverage
let gateway: ScriptedGateway
let node: LabNode
let endUsage = () => {}
let readings = 0
/** Numbers the readings, whose times are whole seconds. */
const counter: Collector = { name: 'test', read: () => [gauge('test.readings', 'count', (readings += 1))] }

beforeAll(async () => {
  const { api, post } = server
  const cluster = await addCluster(api.database)
  node = await addLabNode(api.controlPlane, api.database, cluster)
  await addDevice(api.database, cluster, node.id)
  gateway = scriptedGateway()
  await post('/api/v1/gateway_shares/', { name: 'docs', node: node.uri, objectstore_container: 'c', enabled: true })
  const host = { machine: openMachine(), filesystems: { read: async () => [] } }
  const openSlowReader = () => ({ read: async () => new Map<string, never>(), close: () => {} })
  const started = node.start({
    // The heartbeat has its longest interval, so that not every reading has one beside it.
    random: () => 1,
    appliers: { gateway: gateway.applier },
    clock,
    readings: createReadings({ collectors: [load, counter], host, openSlowReader, clock }),
    // The usage of devices has the same interval: it waits, so that it is no part of the walk of a reading.
    usage: () => new Promise((resolve) => (endUsage = () => resolve([]))),
  })
  await advanceUntilSettled(started)
  coverage = await FileCoverage.start()
})
afterAll(async () => {
  coverage.stop()
  endUsage()
  gateway.remove()
  await node.remove()
})

/** Advances the clock of the agent until the work is done. */
async function advanceUntilSettled(work: Promise<unknown>): Promise<void> {
  const state = { isDone: false }
  void work.finally(() => (state.isDone = true)).catch(() => {})
  while (!state.isDone) await clock.advance(50)
  await work
}

/** Returns the files whose functions run in every repetition of an action and not in an idle period, and prints them. */
async function walk(name: string, act: () => Promise<void>): Promise<readonly string[]> {
  await act()
  await coverage.read()
  await sleep(idleMs)
  const idle = await coverage.read()
  const measured = []
  for (let i = 0; i < runs; i++) {
    await act()
    measured.push(await coverage.read())
  }
  const files = filesOfEach(measured, idle)
  console.info(`${name}: ${files.length} files\n${files.map((file) => `  ${file}`).join('\n')}`)
  return files
}

/** Reads the load, and returns the number of the reading that it belongs to. */
async function poll(): Promise<number> {
  const { body } = await server.get(`${node.uri}metrics/poll/?metrics=load.shortterm,test.readings`)
  expect(body.metrics[0]).toMatchObject({ metric_name: 'load.shortterm', value: expect.any(Number) })
  return body.metrics[1].value
}

/** Returns the paths that a section of the page lists, such as `apps/node-agent/src/uplink/{outbox,session}.ts`. */
function listed(heading: string): readonly string[] {
  const [, section = ''] = page.split(`\n## ${heading}\n`)
  return [...(section.split('\n## ')[0] ?? '').matchAll(/`([\w./-]*)(?:\{([\w,./-]+)\})?([\w./-]*\.ts)`/g)].flatMap(
    ([, before = '', names, after = '']) => (names?.split(',') ?? ['']).map((name) => `${before}${name}${after}`),
  )
}

describe('the walks of docs/architecture.md', () => {
  it('name every file that a reading passes, and not more than the limit', async () => {
    const files = await walk('A reading', async () => {
      await clock.advance(reportIntervalMs)
      while ((await poll()) !== readings) await sleep(5)
    })
    expect(files.length).toBeLessThanOrEqual(limits.reading)
    expect(files.filter((file) => !listed('The files of a reading').includes(file))).toEqual([])
  })

  it('name every file that a request passes, and not more than the limit', async () => {
    const files = await walk('A request', async () => {
      expect((await server.get('/api/v1/devices/?cluster=1&limit=5')).status).toBe(200)
    })
    expect(files.length).toBeLessThanOrEqual(limits.request)
    expect(files.filter((file) => !listed('The files of a request').includes(file))).toEqual([])
  })

  it('name every file that a deployment passes, and not more than the limit', async () => {
    const files = await walk('A deployment', async () => {
      const { body } = await server.post('/api/v1/gateway_deployments/', { node: node.uri })
      expect(await waitForJob(server.get, body)).toMatchObject({ state: 'COMPLETED_SUCCESS' })
    })
    expect(files.length).toBeLessThanOrEqual(limits.deployment)
    expect(files.filter((file) => !listed('The files of a deployment').includes(file))).toEqual([])
  })

  it.each(['reading', 'request', 'deployment'])('name no file of a %s that does not exist', (name) => {
    const files = listed(`The files of a ${name}`)
    expect(files).not.toEqual([])
    expect(files.filter((file) => !existsSync(join(repository, file)))).toEqual([])
  })
})
