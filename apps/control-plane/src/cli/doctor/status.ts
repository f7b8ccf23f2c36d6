import { resourceUri } from '@roost/api-types/rest'
import type { ClusterHealth } from '@roost/api-types/rest'
import type { Command } from 'commander'
import type { Config } from '../../config.js'
import { listAll, pick, withApi } from '../client/api.js'
import type { ClusterRecord, NodeRecord } from '../client/api.js'
import { CommandError, exitCodes } from '../terminal/exit-codes.js'
import { outputOption, render } from '../terminal/output.js'
import type { Columns, OutputOptions } from '../terminal/output.js'
import type { Terminal } from '../terminal/terminal.js'

interface StatusFlags extends OutputOptions {
  readonly cluster?: string
}

interface JudgedCluster {
  readonly cluster: ClusterRecord
  readonly health: ClusterHealth
}

/** Reasons of one cluster that are printed; all are in the JSON. */
const mostReasons = 20

export function addStatus(program: Command, config: () => Config, { out }: Terminal): void {
  program
    .command('status')
    .description('Show the health of the clusters; exit code 8 if one warns, 9 if one is critical')
    .option('--cluster <cluster>', 'only this cluster, by name or id')
    .addOption(outputOption())
    .action(({ cluster: nameOrId, output }: StatusFlags) =>
      withApi(config(), async ({ clusters, nodes }) => {
        const all = await listAll((range) => clusters.list.query(range))
        const asked = nameOrId === undefined ? all : [pick('cluster', nameOrId, all, ({ name }) => name)]
        const judged: JudgedCluster[] = []
        for (const cluster of asked) judged.push({ cluster, health: await clusters.health.query({ id: cluster.id }) })
        if (output === 'json') out.write(`${JSON.stringify(judged.map(jsonOf), null, 2)}\n`)
        else out.write(screenOf(judged, await listAll((range) => nodes.list.query(range))))
        endByVerdict(judged)
      }),
    )
}

function jsonOf({ cluster, health: { verdict, reasons, reason_count } }: JudgedCluster) {
  return { cluster: cluster.name, verdict, reasons, reason_count }
}

const clusterColumns: Columns<JudgedCluster> = {
  CLUSTER: ({ cluster }) => cluster.name,
  HEALTH: ({ health }) => health.verdict,
  CRITICAL: ({ health }) => health.reasons.filter(({ severity }) => severity === 'critical').length,
  PROBLEMS: ({ health }) => health.reason_count,
  'RINGS AGREE': ({ health }) => health.rings_agree,
}

function screenOf(judged: readonly JudgedCluster[], nodes: readonly NodeRecord[]): string {
  const names = new Map(nodes.map(({ id, hostname }) => [resourceUri('nodes', id), hostname]))
  const rows = judged.flatMap(({ cluster, health }) =>
    health.reasons.slice(0, mostReasons).map((reason) => ({ cluster: cluster.name, ...reason })),
  )
  const columns: Columns<(typeof rows)[number]> = {
    CLUSTER: ({ cluster }) => cluster,
    SEVERITY: ({ severity }) => severity,
    CHECK: ({ code }) => code,
    NODE: ({ node }) => (node === null ? null : names.get(node)),
    MESSAGE: ({ message }) => message,
  }
  const table = { output: 'table' } as const
  const screen = render(judged, clusterColumns, table)
  return rows.length === 0 ? screen : `${screen}\n${render(rows, columns, table)}`
}

function endByVerdict(judged: readonly JudgedCluster[]): void {
  const named = (verdict: string) =>
    judged.filter(({ health }) => health.verdict === verdict).map(({ cluster }) => cluster.name)
  const [critical, warn] = [named('critical'), named('warn')]
  if (critical.length > 0) throw new CommandError(`Critical: ${critical.join(', ')}.`, exitCodes.critical)
  if (warn.length > 0) throw new CommandError(`Warning: ${warn.join(', ')}.`, exitCodes.warning)
}
