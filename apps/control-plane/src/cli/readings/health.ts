import type { ClusterHealth, RingSetForecast, ServiceHealth } from '@roost/api-types/rest'
import type { Command } from 'commander'
import type { Config } from '../../config.js'
import { findCluster, withApi } from '../client/api.js'
import { hostnamesByUri } from '../records/fields.js'
import { bytes, moment, state } from '../terminal/cells.js'
import { isStructured, isTabular, print, printOne, printValue, withOutput } from '../terminal/output.js'
import type { OutputOptions, View } from '../terminal/output.js'
import type { Terminal } from '../terminal/terminal.js'
import { watched, withWatch } from '../terminal/watch.js'
import type { WatchOptions } from '../terminal/watch.js'

type Days = RingSetForecast['days_until_full']

/** Of the interval the middle, with its ends behind it. */
function daysText(days: Days): string | null {
  return days === null ? null : `${days.middle ?? 'beyond'} (${days.early ?? 'beyond'} to ${days.late ?? 'beyond'})`
}

const forecastView: View<RingSetForecast> = {
  columns: {
    POLICIES: ({ ring_set: set }) => set,
    FORECAST: ({ state: of }) => of,
    'USED %': ({ used_pct: used }) => used.toFixed(1),
    'GROWTH A DAY': ({ growth_bytes_a_day: growth }) => bytes(growth),
    'DAYS UNTIL FULL': ({ days_until_full: days }) => daysText(days),
    'FIRST DEVICE FULL': ({ fullest_device: first }) => daysText(first?.days_until_full ?? null),
  },
  wide: {
    'LIMIT %': ({ limit_pct: limit }) => limit,
    DEVICE: ({ fullest_device: first }) => first?.device,
    'HISTORY DAYS': ({ history_days: days }) => days,
    READ: ({ oldest_reading: at }) => moment(at),
  },
  name: ({ ring_set: set }) => set,
}

export function addForecast(program: Command, config: () => Config, terminal: Terminal): void {
  withWatch(withOutput(program.command('forecast <cluster>')))
    .description('Show the days until each set of storage policies of a cluster, by name or id, is full')
    .action((nameOrId: string, options: OutputOptions & WatchOptions) =>
      watched(terminal, options, () =>
        withApi(config(), async (rpc) => {
          const { id } = await findCluster(rpc, nameOrId)
          const found = await rpc.clusters.forecast.query({ id })
          if (isStructured(options)) await printValue(terminal, found, options)
          else await print(terminal, found.forecast, forecastView, options)
        }),
      ),
    )
}

interface HealthFlags extends OutputOptions, WatchOptions {
  readonly services?: boolean
}

export function addHealth(program: Command, config: () => Config, terminal: Terminal): void {
  withWatch(withOutput(program.command('health <cluster>')))
    .description(
      'Show the health of a cluster, by name or id, with its problems; -o json and yaml have all that is known',
    )
    .option('--services', 'list the servers and daemons of Swift on each node, also those that are up')
    .action((nameOrId: string, options: HealthFlags) =>
      watched(terminal, options, () =>
        withApi(config(), async (rpc) => {
          const { id } = await findCluster(rpc, nameOrId)
          const health = await rpc.clusters.health.query({ id })
          if (options.services === true) return print(terminal, servicesOf(health), serviceView, options)
          if (isStructured(options)) return printValue(terminal, health, options)
          await printHealth(terminal, health, await hostnamesByUri(rpc), options)
        }),
      ),
    )
}

async function printHealth(
  terminal: Terminal,
  health: ClusterHealth,
  hostnames: ReadonlyMap<string, string>,
  options: OutputOptions,
): Promise<void> {
  const isText = isTabular(options)
  if (isText) await printOne(terminal, health, summaryView, options)
  if (isText && health.reasons.length === 0) return
  if (isText) terminal.out.write('\n')
  await print(terminal, health.reasons, reasonView(hostnames), options)
}

const summaryView: View<ClusterHealth> = {
  columns: {
    HEALTH: ({ verdict }) => state(verdict),
    PROBLEMS: ({ reason_count: count }) => count,
    'RINGS AGREE': ({ rings_agree: agree }) => agree,
    'SWIFT.CONF AGREES': ({ swift_conf_agree: agree }) => agree,
    'POLICIES AGREE': ({ policies_agree: agree }) => agree,
    'ASYNC PENDING': ({ async_pending: pending }) => pending,
    UNMOUNTED: ({ unmounted }) => unmounted.length,
    DRAINED: ({ drained }) => drained.length,
    MAINTENANCE: ({ maintenance }) => maintenance.map(({ hostname }) => hostname).join(', ') || null,
  },
  name: ({ cluster }) => cluster,
}

function reasonView(hostnames: ReadonlyMap<string, string>): View<ClusterHealth['reasons'][number]> {
  return {
    columns: {
      SEVERITY: ({ severity }) => state(severity),
      CHECK: ({ code }) => code,
      NODE: ({ node }) => hostnames.get(node ?? ''),
      SUBJECT: ({ subject }) => subject,
      MESSAGE: ({ message }) => message,
    },
    name: ({ code, node, subject }) => [code, hostnames.get(node ?? ''), subject].filter(Boolean).join(' '),
  }
}

type ServiceRow = ServiceHealth & { readonly hostname: string }

function servicesOf({ nodes }: ClusterHealth): readonly ServiceRow[] {
  return nodes.flatMap(({ hostname, services }) => (services ?? []).map((service) => ({ hostname, ...service })))
}

const serviceView: View<ServiceRow> = {
  columns: {
    NODE: ({ hostname }) => hostname,
    SERVICE: ({ name }) => name,
    ADDRESS: ({ address }) => address,
    STATE: ({ state: now }) => state(now),
    SINCE: ({ since }) => moment(since),
  },
  wide: { FILE: ({ file }) => file },
  name: ({ hostname, name }) => `${hostname}/${name}`,
}
