import type { Collector } from '../engine/collector.js'
import { gauge, type Measurement } from '../engine/metric.js'
import { fieldMeasurements, readCaches, type ReconOptions, type ReconServer } from './recon.js'
import type { AskRecon } from '../../swift/recon/recon-client.js'

export interface ReconAnswersOptions extends ReconOptions {
  readonly ask: AskRecon
}

/** The requests that return the values of the daemons' caches, for caches that the agent may not read. */
const ofCaches: Readonly<Record<ReconServer, readonly string[]>> = {
  account: ['replication/account', 'auditor/account'],
  container: ['replication/container', 'auditor/container', 'updater/container', 'sharding'],
  object: [
    'replication/object',
    'auditor/object',
    'updater/object',
    'expirer/object',
    'async',
    'reconstruction/object',
  ],
}

const everyMs = 60_000

/** Asks Swift's storage servers, once a minute, for values that are in no file. Each request costs Swift some milliseconds. */
export function createReconAnswers({ ask, directory, now }: ReconAnswersOptions): Collector {
  const insteadOfCache = async (
    server: ReconServer,
    caches: ReadonlyMap<ReconServer, unknown>,
  ): Promise<readonly Measurement[]> => {
    if (caches.has(server)) return []
    const answers = await Promise.all(ofCaches[server].map(ask))
    return fieldMeasurements(server, Object.assign({}, ...answers), now() / 1_000)
  }
  return {
    name: 'recon-http',
    minIntervalMs: everyMs,
    async read(host) {
      // The first request shows that a server answers: without Swift the others are not sent.
      const quarantined = await ask('quarantined')
      if (quarantined === undefined) return []
      const caches = await readCaches(host, directory)
      const [unmounted, driveAudit, time, ...ofDaemons] = await Promise.all([
        ask('unmounted'),
        ask('driveaudit'),
        ask('time'),
        insteadOfCache('account', caches),
        insteadOfCache('container', caches),
        insteadOfCache('object', caches),
      ])
      return [
        ...quarantineMeasurements(quarantined),
        gauge('recon.object.unmounted', 'count', Array.isArray(unmounted) ? unmounted.length : Number.NaN),
        gauge('recon.object.drive_audit_errors', 'count', numberIn(driveAudit, 'drive_audit_errors')),
        gauge('recon.object.time_offset', 'seconds', typeof time === 'number' ? time - now() / 1_000 : Number.NaN),
        ...ofDaemons.flat(),
      ]
    },
  }
}

function quarantineMeasurements(answer: unknown): readonly Measurement[] {
  const policies = Object.entries((answer as { policies?: object }).policies ?? {})
  return [
    gauge('recon.account.quarantined', 'count', numberIn(answer, 'accounts')),
    gauge('recon.container.quarantined', 'count', numberIn(answer, 'containers')),
    gauge('recon.object.quarantined', 'count', numberIn(answer, 'objects')),
    ...policies
      .filter(([index]) => /^\d+$/.test(index))
      .map(([index, policy]) =>
        gauge(`recon.object.quarantined_of_policy.${index}`, 'count', numberIn(policy, 'objects')),
      ),
  ]
}

function numberIn(answer: unknown, key: string): number {
  const value = (answer as Readonly<Record<string, unknown>> | null | undefined)?.[key]
  return typeof value === 'number' && Number.isFinite(value) ? value : Number.NaN
}
