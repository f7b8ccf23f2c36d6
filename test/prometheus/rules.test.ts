import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { addCluster, addDevice, addNode, addPolicy } from '../support/agents/fleet-rows.js'
import { waitTimeoutMs } from '../support/clock/wait-until.js'
import { startApi } from '../support/http/api.js'
import type { TestApi } from '../support/http/api.js'
import { repository } from '../support/http/control-plane.js'
import { useFolder } from '../support/programs/folder.js'
import { freePort } from '../support/programs/free-port.js'
import { runToEnd } from '../support/programs/processes.js'

const rules = join(repository, 'deploy/prometheus/roost.rules.yml')
const dashboard = join(repository, 'deploy/grafana/roost.json')

let api: TestApi
beforeAll(async () => {
  api = await startApi()
  const cluster = await addCluster(api.database, 'prod')
  const node = await addNode(api.database, cluster, { hostname: 'store-1', state: 'online', lastSeen: new Date() })
  const policyId = await addPolicy(api.database, cluster, 0, 'gold')
  const policies = { create: [{ policyId }] }
  const usage = { totalBytes: 1000n, freeBytes: 50n, availableBytes: 50n, lastSeen: new Date() }
  await addDevice(api.database, cluster, node, { name: 'd1', policies, ...usage })
  await addDevice(api.database, cluster, node, { name: 'd2', policies, ...usage, status: 'unmounted' })
  await api.context.capacity.intake.devicesChanged(node)
  await api.context.healthRounds.run()
})
afterAll(() => api.stop())

interface Panel {
  readonly title: string
  readonly targets: readonly { readonly expr: string }[]
}

/** The queries of the dashboard, by panel, as Grafana sends them. */
async function queries(): Promise<readonly (readonly [string, string])[]> {
  const { panels } = JSON.parse(await readFile(dashboard, 'utf8')) as { readonly panels: readonly Panel[] }
  return panels.flatMap(({ title, targets }) =>
    targets.map(({ expr }) => [title, expr.replaceAll('$cluster', '.*').replaceAll('$__rate_interval', '1m')] as const),
  )
}

it('all metrics that the rules and the dashboard name are on /metrics', async () => {
  const { text } = await api.get('/metrics')
  const known = new Set([...text.matchAll(/^(roost_\w+)/gm)].map(([, name]) => name))
  const expressions = [...(await readFile(rules, 'utf8')).matchAll(/expr: (.+)/g)].map(([, expr = '']) => expr)
  const texts = [...expressions, ...(await queries()).map(([, expr]) => expr)]
  expect(expressions.length).toBeGreaterThan(4)
  const named = texts.flatMap((expr) => expr.match(/roost_\w+/g) ?? [])
  expect([...new Set(named)].filter((name) => !known.has(name))).toEqual([])
})

describe('in a real Prometheus', () => {
  let server: ChildProcess
  let base: string
  let hasPrometheus = false
  beforeAll(async () => {
    hasPrometheus = (await runToEnd('prometheus', ['--version'])).code === 0
    if (!hasPrometheus) return
    const folder = await useFolder('prometheus')
    const port = await freePort()
    base = `http://127.0.0.1:${port}/api/v1`
    const [ca, key, config] = ['ca.pem', 'roost.apikey', 'prometheus.json'].map((name) => join(folder, name)) as [
      string,
      string,
      string,
    ]
    await writeFile(ca, api.ca)
    await writeFile(key, api.key)
    const scrape = {
      job_name: 'roost',
      scheme: 'https',
      authorization: { type: 'apikey', credentials_file: key },
      tls_config: { ca_file: ca },
      static_configs: [{ targets: [new URL(api.url).host] }],
    }
    const intervals = { scrape_interval: '1s', evaluation_interval: '1s' }
    // JSON is YAML.
    await writeFile(config, JSON.stringify({ global: intervals, rule_files: [rules], scrape_configs: [scrape] }))
    const args = [
      `--config.file=${config}`,
      `--storage.tsdb.path=${folder}/data`,
      `--web.listen-address=127.0.0.1:${port}`,
    ]
    server = spawn('prometheus', args, { stdio: 'ignore' })
  })
  afterAll(async () => {
    if (!hasPrometheus) return
    const ended = new Promise((resolve) => server.once('exit', resolve))
    server.kill()
    await ended
  })

  const ask = async (path: string) => (await (await fetch(`${base}/${path}`)).json()) as Answer

  it('the rules find what is wrong, and nothing else', async ({ skip }) => {
    if (!hasPrometheus) skip('needs the package prometheus')
    // Each waits for the time of its rule. Before the first scrape, Roost seems to be down.
    const seen = async () =>
      ((await ask('alerts')).data.alerts ?? [])
        .map(({ labels: { alertname, severity, code = '', device = '', ring_set: set = '' }, state }) =>
          [alertname, severity, code + device + set, state].join(' '),
        )
        .toSorted()
    await expect
      .poll(seen, { timeout: waitTimeoutMs, interval: 500 })
      .toEqual([
        'RoostCapacityLow warning gold pending',
        'RoostDeviceNearlyFull warning d1 pending',
        'RoostProblem critical device_full pending',
        'RoostProblem warning device_unmounted pending',
      ])
  })

  it('each panel of the dashboard has a valid query', async ({ skip }) => {
    if (!hasPrometheus) skip('needs the package prometheus')
    for (const [title, query] of await queries()) {
      const { status, error } = await ask(`query?query=${encodeURIComponent(query)}`)
      expect({ title, status, error }).toEqual({ title, status: 'success', error: undefined })
    }
    const health = await ask(`query?query=${encodeURIComponent('roost_cluster_health{cluster="prod"}')}`)
    expect(health.data.result?.[0]?.value[1]).toBe('2')
  })
})

interface Answer {
  readonly status: string
  readonly error?: string
  readonly data: {
    readonly alerts?: readonly { readonly labels: Readonly<Record<string, string>>; readonly state: string }[]
    readonly result?: readonly { readonly value: readonly [number, string] }[]
  }
}
