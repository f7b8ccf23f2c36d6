import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { writeFile } from 'node:fs/promises'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { addCluster } from '../support/agents/fleet-rows.js'
import { insertNodes } from '../support/agents/nodes.js'
import { waitTimeoutMs } from '../support/clock/wait-until.js'
import { startApi } from '../support/http/api.js'
import type { TestApi } from '../support/http/api.js'
import { useFolder } from '../support/programs/folder.js'
import { freePort } from '../support/programs/free-port.js'
import { runToEnd } from '../support/programs/processes.js'
import { definitions, historyAgent, stepMs, windowFrame, windowMs } from '../history/support.js'
import { askVector, hasPrometheus } from './support.js'

const hasVictoria = (await runToEnd('victoria-metrics', ['-version'])).code === 0

/** The beginning of what was sent: an hour ago, at a whole window. */
const from = Math.floor(Date.now() / windowMs) * windowMs - 3_600_000
const windows = 4
/** The last reading, in Unix seconds. */
const last = (from + windows * windowMs - stepMs) / 1000

/** A number that is not exact, with a gap of two minutes; the other column grows by one. */
function valueOf(column: number, timeMs: number): number {
  const reading = (timeMs - from) / stepMs
  if (column === 1) return reading
  return reading >= 60 && reading < 72 ? Number.NaN : Math.sqrt(reading + 2)
}

const servers = [
  {
    name: 'Prometheus',
    exists: hasPrometheus,
    path: '/api/v1/write',
    args: async (folder: string, address: string) => {
      const config = join(folder, 'prometheus.json')
      await writeFile(config, JSON.stringify({ storage: { tsdb: { out_of_order_time_window: '2h' } } }))
      const own = ['--web.enable-remote-write-receiver', `--storage.tsdb.path=${folder}/data`]
      return ['prometheus', `--config.file=${config}`, `--web.listen-address=${address}`, ...own] as const
    },
  },
  {
    name: 'VictoriaMetrics',
    exists: hasVictoria,
    path: '/api/v1/write',
    args: async (folder: string, address: string) =>
      ['victoria-metrics', `-storageDataPath=${folder}/data`, `-httpListenAddr=${address}`] as const,
  },
]

describe.each(servers)('remote_write to $name', ({ exists, path, args }) => {
  let api: TestApi
  let url: string
  let stopServer: () => Promise<unknown>
  beforeAll(async () => {
    if (!exists) return
    const address = `127.0.0.1:${await freePort()}`
    url = `http://${address}`
    api = await startApi({ ROOST_REMOTE_WRITE_URL: `${url}${path}` })
    const [identity] = await insertNodes(api.database, await addCluster(api.database, 'east'), 1)
    if (identity === undefined) throw new Error('No node was inserted.')
    const sender = historyAgent({ ...api, identity, metrics: definitions('disk.busy', 'ops') })
    sender.agent.dial()
    await sender.agent.until(({ welcomed }) => welcomed === 1)
    for (let k = 0; k < windows; k++)
      await sender.send(windowFrame({ startMs: from + k * windowMs, sequence: k + 1, value: valueOf }), k + 1)
    sender.agent.stop()
    // The server is started afterwards: what could not be sent waits for it.
    await untilWaiting(windows)
    const [program, ...rest] = await args(await useFolder('remote-write'), address)
    const server = spawn(program, rest, { stdio: 'ignore' })
    const ended = new Promise((resolve) => server.once('exit', resolve))
    stopServer = () => {
      server.kill()
      return ended
    }
    await untilWaiting(0)
  })
  afterAll(async () => {
    if (!exists) return
    await stopServer()
    await api.stop()
  })

  const metric = async (name: string) => {
    const { text } = await api.get('/metrics')
    return Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1])
  }
  /** Resolves when so many chunks wait to be sent. */
  const untilWaiting = (chunks: number) =>
    vi.waitFor(
      async () => {
        const waiting = await metric('roost_remote_write_waiting_chunks')
        if (waiting !== chunks) throw new Error(`${waiting} chunks wait to be sent, not ${chunks}.`)
      },
      { timeout: waitTimeoutMs, interval: 500 },
    )
  const ask = async (expression: string, time = last) =>
    (await askVector(url, expression, time)).map(({ value }) => value)

  it('brings each reading once, within the error of the history, also after the server was away', async ({ skip }) => {
    if (!exists) skip('needs the packages prometheus and victoria-metrics')
    // VictoriaMetrics shows what it has accepted some seconds later.
    await vi.waitFor(async () => expect(await ask('count_over_time(ops[20m])')).toEqual([windows * 30]), {
      timeout: waitTimeoutMs,
      interval: 500,
    })
    expect(await ask('disk_busy{cluster="east",metric="disk.busy"}')).toEqual([
      expect.closeTo(valueOf(0, last * 1000), 2),
    ])
    for (const reading of [1, 59, 90, 119]) {
      const timeMs = from + reading * stepMs
      expect(await ask('ops', timeMs / 1000)).toEqual([reading])
      const [busy = 0] = await ask('disk_busy', timeMs / 1000)
      expect(Math.abs(busy / valueOf(0, timeMs) - 1)).toBeLessThan(6.2e-5)
    }
    expect(await metric('roost_remote_write_samples_total')).toBeGreaterThanOrEqual(windows * 30 * 2 - 12)
    expect(await metric('roost_remote_write_lag_seconds')).toBe(0)
  })

  it('has no value in a gap', async ({ skip }) => {
    if (!exists) skip('needs the packages prometheus and victoria-metrics')
    expect(await ask('disk_busy', (from + 65 * stepMs) / 1000)).toEqual([])
    expect(await ask('count_over_time(disk_busy[20m])')).toEqual([windows * 30 - 12])
  })
})

it('a URL with a password is refused: its file is named instead', async () => {
  await expect(startApi({ ROOST_REMOTE_WRITE_URL: 'http://user:secret@localhost/write' })).rejects.toThrow(
    'ROOST_REMOTE_WRITE_CREDENTIALS_FILE names the file',
  )
})
