import { execFileSync, spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { agentProgram } from '../support/agents/agent-program.js'
import { cpuSecondsOfAll, residentMb } from './measure.js'
import { atLeast, atMost, row } from './report.js'
import type { Row } from './report.js'
import { openStage } from './stage.js'

// For the first two minutes V8 gives back what the start took, which is a fifth of the work then and comes once.
const settleMs = 120_000
const watchedMs = 60_000

/** The real agent on this machine, against a real control plane. */
export async function benchAgent(): Promise<readonly Row[]> {
  const stage = await openStage()
  const dataDir = await mkdtemp(join(tmpdir(), 'roost-bench-agent-'))
  try {
    const { id } = await stage.database.prisma.cluster.create({ data: { name: 'bench' } })
    const agentArgs = [agentProgram, '--data-dir', dataDir]
    const env = { PATH: process.env['PATH'] ?? '' }
    const token = await tokenOf(stage.controlPlane.url, stage.keys[0] ?? '', id)
    execFileSync(process.execPath, [...agentArgs, 'enroll', '--server', stage.controlPlane.url, '--token', token], {
      env,
    })
    const agent = spawn(process.execPath, [...agentArgs, 'run', '--log-level', 'error'], { env, stdio: 'ignore' })
    const pid = agent.pid as number
    try {
      await sleep(settleMs)
      const cpuBefore = cpuSecondsOfAll(pid)
      await sleep(watchedMs)
      const share = ((cpuSecondsOfAll(pid) - cpuBefore) / (watchedMs / 1000)) * 100
      const memory = residentMb(pid)
      const metrics = await stage.database.prisma.metricDefinitions.findFirstOrThrow()
      return [
        row('metrics', (metrics.definitions as unknown[]).length, 'names', atLeast(300)),
        row('CPU', share, '% of a core', atMost(0.1), {
          collectd: 0.016,
          'node_exporter, all': 0.068,
          'Netdata child at 1 s': 0.3,
          'bare Node': 0.03,
        }),
        row('memory', memory, 'MB', atMost(80), {
          collectd: 3,
          node_exporter: 20,
          'Netdata child': 12.7,
          'bare Node': 50,
        }),
      ]
    } finally {
      agent.kill('SIGTERM')
    }
  } finally {
    await stage.close()
    await rm(dataDir, { recursive: true, force: true })
  }
}

async function tokenOf(url: string, key: string, cluster: number): Promise<string> {
  const answer = await fetch(`${url}/trpc/tokens.create`, {
    method: 'POST',
    headers: { authorization: `apikey ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ cluster }),
  })
  const { result } = (await answer.json()) as { result: { data: { token: string } } }
  return result.data.token
}
