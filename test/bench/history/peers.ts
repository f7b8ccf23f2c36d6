import { spawn } from 'node:child_process'
import { mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'undici'
import { freePort } from '../../support/programs/free-port.js'
import { cpuSeconds } from '../measure.js'

export type PeerName = 'VictoriaMetrics' | 'Prometheus'

/** A server of Debian with an empty database, which is asked by the API of Prometheus. */
export interface Peer {
  readonly name: PeerName
  readonly pid: number
  /** Sends a body of `remote_write`. Throws if it is not accepted. */
  write(body: Buffer): Promise<void>
  /** Returns the series of a range vector or of a query over a range, and throws for none. */
  ask(path: string): Promise<readonly PeerSeries[]>
  /** Resolves when it has finished what it does with new samples. */
  settled(): Promise<void>
  /** Returns the bytes on the disk of samples and index, without its log. */
  bytes(): Promise<number>
  stop(): Promise<void>
}

export interface PeerSeries {
  readonly metric: Readonly<Record<string, string>>
  readonly values: readonly (readonly [seconds: number, value: string])[]
}

interface Program {
  readonly command: string
  readonly args: (folder: string, address: string) => readonly string[]
  /** Makes what is still in memory, or not merged, a part of the files, and returns their folder. */
  readonly files: (ask: Post, folder: string) => Promise<string>
}

type Post = (path: string) => Promise<string>

const programs: Readonly<Record<PeerName, Program>> = {
  VictoriaMetrics: {
    command: 'victoria-metrics',
    args: (folder, address) => [`-storageDataPath=${folder}/data`, `-httpListenAddr=${address}`, '-retentionPeriod=1y'],
    async files(post, folder) {
      await post('/internal/force_flush')
      await post('/internal/force_merge')
      return join(folder, 'data')
    },
  },
  Prometheus: {
    command: 'prometheus',
    args: (folder, address) => [
      `--config.file=${folder}/prometheus.json`,
      `--storage.tsdb.path=${folder}/data`,
      `--web.listen-address=${address}`,
      '--web.enable-remote-write-receiver',
      '--web.enable-admin-api',
    ],
    // A snapshot has the head as a block, like all others.
    async files(post, folder) {
      const { data } = JSON.parse(await post('/api/v1/admin/tsdb/snapshot')) as { data: { name: string } }
      return join(folder, 'data/snapshots', data.name)
    },
  },
}

export async function startPeer(name: PeerName): Promise<Peer> {
  const { command, args, files } = programs[name]
  const folder = await mkdtemp(join(tmpdir(), 'roost-bench-peer-'))
  const address = `127.0.0.1:${await freePort()}`
  await mkdir(join(folder, 'data'))
  await writeFile(join(folder, 'prometheus.json'), '{}')
  const server = spawn(command, args(folder, address), { stdio: 'ignore' })
  const ended = new Promise<void>((resolve) => {
    server.once('error', () => resolve())
    server.once('exit', () => resolve())
  })
  const pid = server.pid
  if (pid === undefined) throw new Error(`${command} is missing: install the packages prometheus and victoria-metrics.`)
  const client = new Client(`http://${address}`, { pipelining: 1 })
  const request = async (method: 'GET' | 'POST', path: string, body: Buffer | null = null) => {
    const headers = { 'content-type': 'application/x-protobuf', 'content-encoding': 'snappy' }
    const answer = await client.request({ method, path, body, ...(body !== null && { headers }) })
    const text = await answer.body.text()
    if (answer.statusCode >= 300) throw new Error(`${name} answered ${answer.statusCode} to ${path}: ${text}`)
    return text
  }
  await isReady(() => request('GET', '/-/ready'))
  const settled = () => isQuiet(pid)
  return {
    name,
    pid,
    write: async (body) => void (await request('POST', '/api/v1/write', body)),
    ask: async (path) => seriesOf(await request('GET', path), path),
    settled,
    async bytes() {
      const data = await files((path) => request('POST', path), folder)
      await settled()
      return bytesIn(data)
    },
    async stop() {
      await client.close()
      server.kill()
      await ended
      await rm(folder, { recursive: true, force: true })
    },
  }
}

function seriesOf(text: string, path: string): readonly PeerSeries[] {
  const { data } = JSON.parse(text) as { data: { result: readonly PeerSeries[] } }
  if (data.result.length === 0) throw new Error(`Nothing was answered to ${path}`)
  return data.result
}

async function isReady(ask: () => Promise<unknown>): Promise<void> {
  for (const deadline = performance.now() + 60_000; ; await sleep(200)) {
    try {
      await ask()
      return
    } catch (error) {
      if (performance.now() > deadline) throw error
    }
  }
}

/** Resolves when a process uses less than 3 % of a core for three seconds, or after two minutes. */
async function isQuiet(pid: number): Promise<void> {
  for (let i = 0, quiet = 0; i < 120 && quiet < 3; i++) {
    const before = cpuSeconds(pid)
    await sleep(1000)
    quiet = cpuSeconds(pid) - before <= 0.03 ? quiet + 1 : 0
  }
}

/** Returns the bytes of the blocks that the files of a folder use. */
async function bytesIn(folder: string): Promise<number> {
  let bytes = 0
  for (const entry of await readdir(folder, { recursive: true })) {
    const { blocks, isFile } = await stat(join(folder, entry)).then((one) => ({
      blocks: one.blocks,
      isFile: one.isFile(),
    }))
    if (isFile) bytes += blocks * 512
  }
  return bytes
}
