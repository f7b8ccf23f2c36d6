import { join } from 'node:path'
import { describeMachine, listSizes, readJournal, readTail, readUnitStates } from '@roost/runtime'
import type { BundlePart } from '@roost/runtime'
import type { Config } from '../../config.js'
import { describeDatabase } from '../../database/describe-database.js'
import { readInstance } from '../../lifecycle/instance.js'
import { version } from '../../lifecycle/version.js'
import { sendRequest } from '../client/http.js'
import type { Connection } from '../client/target.js'
import { CommandError } from '../terminal/exit-codes.js'

const units = ['roost.service', 'roost-backup.service', 'roost-backup.timer']
const logBytes = 256 * 1024
const timeoutMs = 60_000

/** Records of each kind; lists are the newest ones. Passwords are in no answer of the API. */
const lists: Readonly<Record<string, string>> = {
  'clusters.json': '/api/v1/clusters/?limit=1000',
  'nodes.json': '/api/v1/nodes/?limit=1000',
  'shares.json': '/api/v1/gateway_shares/?limit=1000',
  'jobs/gateway_deployments.json': '/api/v1/gateway_deployments/?order_by=-id&limit=50',
  'jobs/user_db_deployments.json': '/api/v1/user_db_deployments/?order_by=-id&limit=50',
  'jobs/agent_upgrades.json': '/api/v1/agent_upgrades/?order_by=-id&limit=50',
  'audit_events.json': '/api/v1/audit_events/?order_by=-id&limit=200',
}

/** Returns what the control plane answers to this connection. */
export async function apiParts(connection: Connection): Promise<readonly BundlePart[]> {
  const part = (file: string, path: string): BundlePart => ({ file, collect: () => answerTo(connection, path) })
  return [
    ...Object.entries(lists).map(([file, path]) => part(file, path)),
    ...(await clusterIds(connection)).flatMap((id) => [
      part(`clusters/${id}/health.json`, `/api/v1/clusters/${id}/health/`),
      part(`clusters/${id}/capacity.json`, `/api/v1/clusters/${id}/capacity/list/`),
    ]),
    part('metrics.txt', '/metrics'),
  ]
}

/** Returns what is read on the machine of the control plane. */
export function machineParts(config: Config): readonly BundlePart[] {
  const { dataDir, databaseUrl } = config
  return [
    { file: 'versions.json', collect: async () => ({ roost: version, ...(await describeMachine()) }) },
    { file: 'settings.json', collect: async () => ({ ...settingsOf(config), instance: await readInstance(dataDir) }) },
    { file: 'data-directory.json', collect: () => listSizes(dataDir) },
    { file: 'database.json', collect: () => describeDatabase(config) },
    ...(databaseUrl === null
      ? [
          {
            file: 'postgres.log',
            collect: async () => eventsOf(await readTail(join(dataDir, 'postgres.log'), logBytes)),
          },
        ]
      : []),
    { file: 'units.txt', collect: () => readUnitStates(units) },
    { file: 'journal.txt', collect: () => readJournal(units) },
  ]
}

/** Each setting is named here, so that a new one is not in the bundle by itself. */
const plainSettings = [
  'dataDir',
  'listen',
  'publicUrl',
  'proxies',
  'logLevel',
  'ca',
  'url',
  'context',
  'usageRetentionDays',
  'auditRetentionDays',
  'jobRetentionDays',
  'idempotencyRetentionHours',
  'deploymentTimeoutMs',
  'lockWaitMs',
] as const satisfies readonly (keyof Config)[]

function settingsOf(config: Config): object {
  return {
    ...Object.fromEntries(plainSettings.map((name) => [name, config[name]])),
    tls: config.tls.mode,
    database: config.databaseUrl === null ? 'embedded' : new URL(config.databaseUrl).host,
    hasApiKey: config.apiKey !== null,
  }
}

/** Statements and details of errors can contain rows. */
function eventsOf(log: string): string {
  return log
    .split('\n')
    .filter((line) => /\b(?:LOG|WARNING|ERROR|FATAL|PANIC): {2}/.test(line))
    .join('\n')
}

async function clusterIds(connection: Connection): Promise<readonly number[]> {
  const answer = await answerTo(connection, '/api/v1/clusters/?limit=1000').catch(() => '{"objects":[]}')
  const { objects } = JSON.parse(answer) as { readonly objects: readonly { readonly id: number }[] }
  return objects.map(({ id }) => id)
}

async function answerTo(connection: Connection, path: string): Promise<string> {
  const { apiKey } = connection
  const headers = apiKey === undefined ? {} : { authorization: `apikey ${apiKey}` }
  const { status, body } = await sendRequest(connection, { path, headers, timeoutMs })
  if (status === 200) return body
  throw new CommandError(`GET ${path} was answered with status ${status}: ${body.slice(0, 300)}`)
}
