import { resourceUri } from '@roost/api-types/rest'
import type { Alert, ClusterHealth } from '@roost/api-types/rest'
import type { Command } from 'commander'
import type { Config } from '../../config.js'
import { listAll, pick, withApi } from '../client/api.js'
import type { ClusterRecord, NodeRecord, Rpc } from '../client/api.js'
import { messages } from '../../services/messages.js'
import { CommandError, exitCodes } from '../terminal/exit-codes.js'
import { moment, state } from '../terminal/cells.js'
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
  /** Those that need an operator, and those of the control plane, the most urgent first. */
  readonly alerts: readonly Alert[]
}

/** Alerts, and other problems of one cluster, that are printed; all are in the JSON. */
const mostRows = 20

export function addStatus(program: Command, config: () => Config, terminal: Terminal): void {
  withWatch(withOutput(program.command('status')))
    .description('Show the health of the clusters; exit code 8 if one warns, 9 if one is critical')
    .option('--cluster <cluster>', 'only this cluster, by name or id')
    .action(({ cluster: nameOrId, ...options }: StatusFlags) =>
      watched(terminal, options, () =>
        withApi(config(), async (rpc) => {
          const { clusters, nodes } = rpc
          const all = await listAll((range) => clusters.list.query(range))
          const asked = nameOrId === undefined ? all : [pick('cluster', nameOrId, all, ({ name }) => name)]
          const judged: JudgedCluster[] = []
          for (const cluster of asked) {
            const [health, alerts] = await Promise.all([
              clusters.health.query({ id: cluster.id }),
              urgent(rpc, cluster),
            ])
            judged.push({ cluster, health, alerts })
          }
          if (isStructured(options)) await printValue(terminal, judged.map(jsonOf), options)
          else {
            if (isTabular(options)) await printOwnFaults(terminal, rpc)
            await printScreen(terminal, judged, await listAll((range) => nodes.list.query(range)), options)
          }
          if (options.watch === undefined) endByVerdict(judged)
        }),
      ),
    )
}

/** Lists what needs an operator in a cluster, and of the control plane. */
async function urgent({ alerts }: Rpc, { id }: ClusterRecord): Promise<readonly Alert[]> {
  const filters = { concerns: id, needs_action: true }
  return listAll((range) => alerts.list.query({ ...range, filters, order_by: ['rank'] }))
}

function jsonOf({ cluster, health: { verdict, maintenance, reasons, reason_count }, alerts }: JudgedCluster) {
  return { cluster: cluster.name, verdict, maintenance, needs_action: alerts, reasons, reason_count }
}

const clusterView: View<JudgedCluster> = {
  columns: {
    CLUSTER: ({ cluster }) => cluster.name,
    HEALTH: ({ health }) => state(health.verdict),
    CRITICAL: ({ health }) => health.reasons.filter(({ severity }) => severity === 'critical').length,
    PROBLEMS: ({ health }) => health.reason_count,
    'RINGS AGREE': ({ health }) => health.rings_agree,
  },
  wide: { 'SERVICES UP': ({ health }) => servicesUp(health) },
  name: ({ cluster }) => cluster.name,
}

/** Counts those that are expected to run; null while no agent reports any. */
function servicesUp({ nodes }: ClusterHealth): string | null {
  const expected = nodes.flatMap(({ services }) => services ?? []).filter((one) => one.state !== 'off')
  if (expected.length === 0) return null
  return `${expected.filter((one) => one.state === 'up').length}/${expected.length}`
}

/** Prints what no alert can say, because alerts are stored in the database. */
async function printOwnFaults({ out }: Terminal, { system }: Rpc): Promise<void> {
  const { database } = await system.query()
  if (database.is_disk_full) out.write(`${messages.databaseDiskFull}\n\n`)
}

async function printScreen(
  terminal: Terminal,
  judged: readonly JudgedCluster[],
  nodes: readonly NodeRecord[],
  options: OutputOptions,
): Promise<void> {
  await print(terminal, judged, clusterView, options)
  if (!isTabular(options)) return
  for (const { hostname, until } of judged.flatMap(({ health }) => health.maintenance))
    terminal.out.write(`\n${hostname} is in maintenance until ${until}.\n`)
  // Each cluster has those of the control plane.
  const firing = [...new Map(judged.flatMap((one) => named(one).map((alert) => [alert.id, alert]))).values()]
    .toSorted((one, other) => one.rank - other.rank)
    .slice(0, mostRows)
  await printUnder('Needs action, the most urgent first (`roost alert show ID` says what to do):', firing, alertView)
  const hostnames = new Map(nodes.map(({ id, hostname }) => [resourceUri('nodes', id), hostname]))
  const isListed = new Set(firing.map(({ problem, node, subject }) => keyOf(problem, node, subject)))
  const others = judged.flatMap(({ cluster, health }) =>
    health.reasons
      .filter(({ code, node, subject }) => !isListed.has(keyOf(code, node, subject)))
      .slice(0, mostRows)
      .map((reason) => ({ cluster: cluster.name, hostname: hostnames.get(reason.node ?? ''), ...reason })),
  )
  await printUnder('Other problems: they are new, or somebody works on them:', others, reasonView)

  async function printUnder<R>(title: string, rows: readonly R[], view: View<R>) {
    if (rows.length === 0) return
    terminal.out.write(`\n${title}\n`)
    await print(terminal, rows, view, options)
  }
}

function named({ cluster, alerts }: JudgedCluster) {
  return alerts.map((alert) => ({ ...alert, clusterName: alert.cluster === null ? 'control plane' : cluster.name }))
}

function keyOf(problem: string, node: string | null, subject: string): string {
  return JSON.stringify([problem, node, subject])
}

const alertView: View<Alert & { readonly clusterName: string }> = {
  columns: {
    ID: ({ id }) => id,
    SEVERITY: ({ severity }) => state(severity),
    CODE: ({ code }) => code,
    CLUSTER: ({ clusterName }) => clusterName,
    NODE: ({ hostname }) => hostname,
    SINCE: ({ started_at: since }) => moment(since),
    SUMMARY: ({ summary }) => summary,
  },
  name: ({ id }) => id,
}

type Reason = ClusterHealth['reasons'][number]

const reasonView: View<Reason & { readonly cluster: string; readonly hostname: string | undefined }> = {
  columns: {
    CLUSTER: ({ cluster }) => cluster,
    SEVERITY: ({ severity }) => state(severity),
    CHECK: ({ code }) => code,
    NODE: ({ hostname }) => hostname,
    MESSAGE: ({ message }) => message,
  },
  name: ({ code }) => code,
}

function endByVerdict(judged: readonly JudgedCluster[]): void {
  const named = (verdict: string) =>
    judged.filter(({ health }) => health.verdict === verdict).map(({ cluster }) => cluster.name)
  const [critical, warn] = [named('critical'), named('warn')]
  if (critical.length > 0) throw new CommandError(`Critical: ${critical.join(', ')}.`, exitCodes.critical)
  if (warn.length > 0) throw new CommandError(`Warning: ${warn.join(', ')}.`, exitCodes.warning)
}
