import { X509Certificate } from 'node:crypto'
import { access, constants, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createDiskReader, failedChecks, type Finding, nearlyFullBelow, renderFindings } from '@roost/runtime'
import type { Command } from 'commander'
import { isLoopback } from '../config.js'
import type { Config } from '../config.js'
import { apiKeyPath, readApiKey } from '../operators/first-operator.js'
import { dataDirBounds } from '../lifecycle/data-dir.js'
import { readInstance } from '../lifecycle/instance.js'
import { apiUrl, listAll, withApi } from './api.js'
import { CommandError } from './terminal/exit-codes.js'
import { outputOption } from './terminal/output.js'
import type { OutputOptions } from './terminal/output.js'
import type { Terminal } from './terminal/terminal.js'

type Verdict = Finding['verdict']
type Check = readonly [name: string, run: (config: Config) => Promise<readonly [Verdict, string]>]

const dayMs = 86_400_000
/** PostgreSQL may fail to write with less. */
const minFreeBytes = 200e6

const checks: readonly Check[] = [
  ['data directory', dataDirectory],
  ['free space', freeSpace],
  ['process', runningProcess],
  ['key', firstKey],
  ['CA', authority],
  ['API', api],
  ['nodes', nodes],
  ['reach', reach],
]

export function addDoctor(program: Command, config: () => Config, { out }: Terminal): void {
  program
    .command('doctor')
    .description('Check this control plane and suggest fixes for problems')
    .addOption(outputOption())
    .action(async (options: OutputOptions) => {
      const findings = await examine(config())
      out.write(renderFindings(findings, options.output))
      const failed = failedChecks(findings)
      if (failed !== undefined) throw new CommandError(failed)
    })
}

async function examine(config: Config): Promise<readonly Finding[]> {
  const findings: Finding[] = []
  for (const [check, run] of checks) {
    const [verdict, message] = await run(config).catch((error: Error) => ['fail', error.message] as const)
    findings.push({ check, verdict, message })
  }
  return findings
}

async function dataDirectory({ dataDir }: Config): Promise<readonly [Verdict, string]> {
  const code = await access(dataDir, constants.R_OK | constants.W_OK).then(
    () => undefined,
    (error: NodeJS.ErrnoException) => error.code,
  )
  if (code === undefined) return ['ok', dataDir]
  return ['fail', `${dataDir}: ${code}. Set ROOST_DATA_DIR, or run this as the account that runs Roost.`]
}

async function freeSpace({ dataDir }: Config): Promise<readonly [Verdict, string]> {
  const space = await createDiskReader(dataDir).read()
  const free = space.availableBytes
  const text = `${(free / 1e9).toFixed(1)} GB free`
  if (free >= nearlyFullBelow(space, dataDirBounds)) return ['ok', text]
  return [free < minFreeBytes ? 'fail' : 'warn', `${text}: the database stops when the disk is full. Free some space.`]
}

async function runningProcess({ dataDir }: Config): Promise<readonly [Verdict, string]> {
  const instance = await readInstance(dataDir)
  if (!instance)
    return ['warn', 'Roost does not run on this data directory. Start it, or set ROOST_PUBLIC_URL for another one.']
  return ['ok', `process ${instance.pid}${instance.url === null ? ', still starting' : ` at ${instance.url}`}`]
}

async function firstKey({ dataDir, apiKey }: Config): Promise<readonly [Verdict, string]> {
  if (apiKey !== null) return ['ok', 'from ROOST_API_KEY']
  const path = apiKeyPath(dataDir)
  return (await readApiKey(dataDir)) === undefined
    ? ['fail', `cannot read a key from ${path}. Set ROOST_API_KEY.`]
    : ['ok', path]
}

async function authority({ dataDir, tls }: Config): Promise<readonly [Verdict, string]> {
  if (tls.mode !== 'auto') return ['ok', `not used: ROOST_TLS is ${tls.mode}`]
  const path = join(dataDir, 'ca.pem')
  const days = Math.floor((Date.parse(new X509Certificate(await readFile(path)).validTo) - Date.now()) / dayMs)
  return days > 30
    ? ['ok', `${path} is valid for ${days} days`]
    : ['fail', `${path} expires in ${days} days. Restart Roost to renew it.`]
}

async function api(config: Config): Promise<readonly [Verdict, string]> {
  const clusters = await withApi(config, (rpc) => rpc.clusters.list.query({ limit: 1 }))
  return [
    'ok',
    `${await apiUrl(config)} answers and accepts the key; ${clusters.total} ${clusters.total === 1 ? 'cluster' : 'clusters'}`,
  ]
}

async function nodes(config: Config): Promise<readonly [Verdict, string]> {
  const all = await withApi(config, (rpc) => listAll((range) => rpc.nodes.list.query(range)))
  const others = all.filter(({ state }) => state !== 'online').map(({ hostname, state }) => `${hostname} ${state}`)
  const text = `${all.length - others.length} of ${all.length} online`
  return others.length === 0 ? ['ok', text] : ['warn', `${text}: ${others.slice(0, 5).join(', ')}`]
}

async function reach({ listen }: Config): Promise<readonly [Verdict, string]> {
  return isLoopback(listen.host)
    ? ['warn', 'listens on loopback only. Set ROOST_LISTEN and ROOST_PUBLIC_URL before adding other machines.']
    : ['ok', `listens on ${listen.host}:${listen.port}`]
}
