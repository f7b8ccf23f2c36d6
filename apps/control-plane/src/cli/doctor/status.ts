import { resourceUri } from '@roost/api-types/rest'
import type { ClusterHealth } from '@roost/api-types/rest'
import type { Command } from 'commander'
import type { Config } from '../../config.js'
import { listAll, pick, withApi } from '../client/api.js'
import type { ClusterRecord, NodeRecord } from '../client/api.js'
import { CommandError, exitCodes } from '../terminal/exit-codes.js'
import { state } from '../terminal/cells.js'
import { isStructured, isTabular, print, printValue, withOutput } from '../terminal/output.js'
import type { OutputOptions, View } from '../terminal/output.js'
import { watched, withWatch } from '../terminal/watch.js'
import type { WatchOptions } from '../terminal/watch.js'
import type { Terminal } from '../terminal/terminal.js'

interface StatusFlags extends OutputOptions, WatchOptions {
  readonly cluster?: string
}

interface JudgedCluster {
  readonly cluster: ClusterRecord
  readonly health: ClusterHealth
}

/** Reasons of one cluster that are printed; all are in the JSON. */
const mostReasons = 20

export function addStatus(program: Command, config: () => Config, terminal: Terminal): void {
  withWatch(withOutput(program.command('status')))
    .description('Show the health of the clusters; exit code 8 if one warns, 9 if one is critical')
    .option('--cluster <cluster>', 'only this cluster, by name or id')
    .action(({ cluster: nameOrId, ...options }: StatusFlags) =>
      watched(terminal, options, () =>
        withApi(config(), async ({ clusters, nodes }) => {
          const all = await listAll((range) => clusters.list.query(range))
          const asked = nameOrId === undefined ? all : [pick('cluster', nameOrId, all, ({ name }) => name)]
          const judged: JudgedCluster[] = []
          for (const cluster of asked) judged.push({ cluster, health: await clusters.health.query({ id: cluster.id }) })
          if (isStructured(options)) await printValue(terminal, judged.map(jsonOf), options)
          else await printScreen(terminal, judged, await listAll((range) => nodes.list.query(range)), options)
          if (options.watch === undefined) endByVerdict(judged)
        }),
      ),
    )
}

function jsonOf({ cluster, health: { verdict, reasons, reason_count } }: JudgedCluster) {
  return { cluster: cluster.name, verdict, reasons, reason_count }
}

const clusterView: View<JudgedCluster> = {
  columns: {
    CLUSTER: ({ cluster }) => cluster.name,
    HEALTH: ({ health }) => state(health.verdict),
    CRITICAL: ({ health }) => health.reasons.filter(({ severity }) => severity === 'critical').length,
    PROBLEMS: ({ health }) => health.reason_count,
    'RINGS AGREE': ({ health }) => health.rings_agree,
  },
  name: ({ cluster }) => cluster.name,
}

async function printScreen(
  terminal: Terminal,
  judged: readonly JudgedCluster[],
  nodes: readonly NodeRecord[],
  options: OutputOptions,
): Promise<void> {
  const names = new Map(nodes.map(({ id, hostname }) => [resourceUri('nodes', id), hostname]))
  const rows = judged.flatMap(({ cluster, health }) =>
    health.reasons.slice(0, mostReasons).map((reason) => ({ cluster: cluster.name, ...reason })),
  )
  const view: View<(typeof rows)[number]> = {
    columns: {
      CLUSTER: ({ cluster }) => cluster,
      SEVERITY: ({ severity }) => state(severity),
      CHECK: ({ code }) => code,
      NODE: ({ node }) => (node === null ? null : names.get(node)),
      MESSAGE: ({ message }) => message,
    },
    name: ({ code }) => code,
  }
  await print(terminal, judged, clusterView, options)
  if (rows.length === 0 || !isTabular(options)) return
  terminal.out.write('\n')
  await print(terminal, rows, view, options)
}

function endByVerdict(judged: readonly JudgedCluster[]): void {
  const named = (verdict: string) =>
    judged.filter(({ health }) => health.verdict === verdict).map(({ cluster }) => cluster.name)
  const [critical, warn] = [named('critical'), named('warn')]
  if (critical.length > 0) throw new CommandError(`Critical: ${critical.join(', ')}.`, exitCodes.critical)
  if (warn.length > 0) throw new CommandError(`Warning: ${warn.join(', ')}.`, exitCodes.warning)
}
