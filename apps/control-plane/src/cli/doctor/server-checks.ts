import { certificateWarningSeconds } from '@roost/api-types/checks'
import { counted } from '@roost/runtime'
import { isLoopback } from '../../config.js'
import type { Config } from '../../config.js'
import type { InstanceFile } from '../../lifecycle/instance.js'
import { version } from '../../lifecycle/version.js'
import { readApiKey, apiKeyPath } from '../../operators/first-operator.js'
import { listAll, withApi } from '../client/api.js'
import type { Connection, Target } from '../client/target.js'
import type { Check, Result } from './check.js'
import { sendRequest } from '../client/http.js'

const dayMs = 86_400_000
const certificateDays = certificateWarningSeconds / 86_400

/** Checks a running control plane as its clients see it. */
export function serverChecks(config: Config, target: Connection, now: number): readonly Check[] {
  const check = (name: string, run: (target: Connection, config: Config) => Promise<Result>): Check => ({
    name,
    run: () => run(target, config),
  })
  return [
    { ...check('address', address), isRequired: true },
    check('certificate', (seen, { tls }) => certificate(seen, tls.mode, now)),
    check('database', database),
    check('release', release),
    check('key', key),
    check('API', api),
    check('nodes', nodes),
    check('alerts', alerts),
  ]
}

/** Checks whether other machines can reach a process on this machine. */
export function listenAddress({ listen, publicUrl }: InstanceFile): Check {
  return {
    name: 'reach',
    async run() {
      if (listen === null || isLoopback(listen.host))
        return ['warn', 'listens on loopback only. Set ROOST_LISTEN and ROOST_PUBLIC_URL before adding other machines.']
      return ['ok', `listens on ${listen.host}:${listen.port}; nodes and users reach it at ${publicUrl}`]
    },
  }
}

async function address(target: Target): Promise<Result> {
  const { status } = await sendRequest(target, { path: '/healthz' })
  return status === 200
    ? ['ok', `${target.url} answers`]
    : ['fail', `${target.url}/healthz answers with status ${status}. See the log of the control plane.`]
}

async function certificate(target: Target, mode: Config['tls']['mode'], now: number): Promise<Result> {
  const { certificateValidUntil: end } = await sendRequest(target, { path: '/healthz' })
  return judgeCertificate(mode, end, now)
}

/** Judges the certificate of a control plane by its end, in Unix milliseconds; null: it has none. */
export function judgeCertificate(mode: Config['tls']['mode'], end: number | null, now: number): Result {
  if (end === null) return ['ok', 'none: TLS is off']
  const days = Math.floor((end - now) / dayMs)
  if (days >= certificateDays) return ['ok', `is trusted and valid for ${days} days`]
  const remedy =
    mode === 'files'
      ? 'Its renewal failed, or its hook does not call `roost local set-certificate`.'
      : 'Renew it. If Roost issued it, restart Roost instead.'
  return ['warn', `expires in ${days} days. ${remedy}`]
}

async function database(target: Target): Promise<Result> {
  const { status, body } = await sendRequest(target, { path: '/readyz' })
  const { error, reason } = read(body)
  if (reason !== undefined) return ['fail', reason]
  return status === 200
    ? ['ok', 'answers']
    : ['fail', `/readyz answers with status ${status}: ${error ?? 'no error message'}`]
}

interface Readiness {
  readonly error?: string
  readonly reason?: string
}

function read(body: string): Readiness {
  try {
    return JSON.parse(body) as Readiness
  } catch {
    return { error: body.slice(0, 200) }
  }
}

async function release(target: Target): Promise<Result> {
  const { body } = await sendRequest(target, { path: '/openapi.json' })
  const { info } = JSON.parse(body) as { readonly info: { readonly version: string } }
  if (info.version === version) return ['ok', version]
  return [
    'warn',
    `the control plane runs ${info.version}, and this command is ${version}. Restart Roost after an upgrade.`,
  ]
}

async function key({ context }: Connection, { dataDir, apiKey }: Config): Promise<Result> {
  if (context !== null) return ['ok', `of context ${context}`]
  if (apiKey !== null) return ['ok', 'from ROOST_API_KEY']
  const path = apiKeyPath(dataDir)
  return (await readApiKey(dataDir)) === undefined
    ? ['fail', `cannot read a key from ${path}. Set ROOST_API_KEY.`]
    : ['ok', path]
}

async function api(_target: Connection, config: Config): Promise<Result> {
  const clusters = await withApi(config, (rpc) => rpc.clusters.list.query({ limit: 1 }))
  return ['ok', `accepts the key; ${counted(clusters.total, 'cluster')}`]
}

async function alerts(_target: Target, config: Config): Promise<Result> {
  const [receivers, heartbeat] = await withApi(config, (rpc) =>
    Promise.all([listAll((range) => rpc.alertReceivers.list.query(range)), rpc.heartbeat.query()]),
  )
  const enabled = receivers.filter((receiver) => receiver.enabled)
  const faults = enabled.filter(({ last_error: error }) => error !== '').map((one) => `${one.name}: ${one.last_error}`)
  if (heartbeat.error !== '') faults.push(`heartbeat: ${heartbeat.error}`)
  const calls = heartbeat.target === null ? 'no heartbeat' : `heartbeat to ${heartbeat.target}`
  const text = `sent to ${counted(enabled.length, 'receiver')}; ${calls}`
  return faults.length === 0 ? ['ok', text] : ['warn', `${text}: ${faults.slice(0, 3).join('; ')}`]
}

async function nodes(_target: Target, config: Config): Promise<Result> {
  const all = await withApi(config, (rpc) => listAll((range) => rpc.nodes.list.query(range)))
  const others = all.filter(({ state }) => state !== 'online').map(({ hostname, state }) => `${hostname} ${state}`)
  const text = `${all.length - others.length} of ${counted(all.length, 'node')} online`
  return others.length === 0 ? ['ok', text] : ['warn', `${text}: ${others.slice(0, 5).join(', ')}`]
}
