import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { DesiredShare } from '@roost/api-types/agent'
import { cifsShare, nfsShare } from '@roost/testing/shares'
import { scriptedGateway } from '@roost/node-agent/dist/shares/testing/scripted-servers.js'
import type { OneEdit } from '../support/gateway/many-shares-program.js'
import { runToEnd } from '../support/programs/processes.js'
import { atMost, row } from './report.js'
import type { Row } from './report.js'

const sizes = [10, 500, 4_000] as const

/**
 * Plan and apply for a node with so many shares, half of them NFS, of which one is edited: the agent's CPU. As root and with
 * Samba installed also the whole of one apply by the clock, the server's own programs included.
 */
export async function benchGateway(): Promise<readonly Row[]> {
  const rows: Row[] = []
  for (const size of sizes) rows.push(...(await benchSize(size)))
  return [...rows, ...(await sizeRows())]
}

/** With Samba's own programs, where they can run in namespaces of their own. */
async function sizeRows(): Promise<readonly Row[]> {
  if (process.getuid?.() !== 0 || !existsSync('/usr/sbin/smbd')) return []
  const work = mkdtempSync(join(tmpdir(), 'roost-bench-samba-'))
  try {
    const program = fileURLToPath(new URL('../support/gateway/many-shares-program.js', import.meta.url))
    const args = ['-mn', '--propagation', 'private', process.execPath, program, work, '500']
    const { stdout, stderr } = await runToEnd('unshare', args, { timeout: 280_000 })
    if (stdout === '') throw new Error(stderr)
    const { milliseconds } = JSON.parse(stdout) as OneEdit
    return [row('500 shares: apply of one edit on a real Samba, all of it', milliseconds, 'ms', atMost(2_000))]
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
}

async function benchSize(size: number): Promise<readonly Row[]> {
  const gateway = scriptedGateway()
  try {
    const shares = Array.from({ length: size }, (_, i) => (i % 2 === 0 ? nfsShare(i + 1) : cifsShare(i + 1)))
    const before = await restingMemory()
    const first = await timed(() => gateway.applier.apply(stateOf(shares), 1, () => {}))
    const edited = shares.map((share) => (share.id === 2 ? { ...share, access_mode: 'ro' as const } : share))
    const plan = await timed(() => gateway.applier.plan(stateOf(edited)))
    const again = await timed(() => gateway.applier.apply(stateOf(edited), 2, () => {}))
    const drift = await timed(() => gateway.applier.drift())
    const peak = process.memoryUsage.rss()
    return [
      row(`${size} shares: all new, applied`, first, 'ms CPU', null),
      row(`${size} shares: plan of one edit`, plan, 'ms CPU', null),
      row(`${size} shares: apply of one edit`, again, 'ms CPU', size === 500 ? atMost(2_000) : null),
      row(`${size} shares: a look for drift`, drift, 'ms CPU', null),
      row(`${size} shares: memory while it does so`, Math.max(0, peak - before) / 1e6, 'MB', null),
    ]
  } finally {
    gateway.remove()
  }
}

function stateOf(shares: readonly DesiredShare[]) {
  return { kind: 'gateway' as const, storage: null, shares: [...shares] }
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = process.cpuUsage()
  await work()
  const { user, system } = process.cpuUsage(start)
  return (user + system) / 1000
}

async function restingMemory(): Promise<number> {
  globalThis.gc?.()
  await sleep(50)
  return process.memoryUsage.rss()
}
