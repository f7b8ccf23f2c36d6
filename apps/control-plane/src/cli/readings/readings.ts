import type { MetricSample, NodeMetricSample, NodeMetricSeries } from '@roost/api-types/rest'
import type { Command } from 'commander'
import type { Config } from '../../config.js'
import { findCluster, nodeOf, withApi } from '../client/api.js'
import type { Rpc } from '../client/api.js'
import { hostnamesByUri } from '../records/fields.js'
import { moment } from '../terminal/cells.js'
import { CommandError, exitCodes } from '../terminal/exit-codes.js'
import { print, withOutput } from '../terminal/output.js'
import type { OutputOptions, View } from '../terminal/output.js'
import type { Terminal } from '../terminal/terminal.js'
import { historyView, rangeOf } from './history.js'
import type { HistoryFlags } from './history.js'
import { watched, withWatch } from '../terminal/watch.js'
import type { WatchOptions } from '../terminal/watch.js'

interface MetricFlags extends OutputOptions, WatchOptions {
  readonly cluster?: string
  readonly node?: string
  readonly across?: boolean
}

const sampleColumns: View<MetricSample>['columns'] = {
  METRIC: ({ metric_name: name }) => name,
  VALUE: ({ value }) => value,
  READ: ({ timestamp }) => (timestamp === 0 ? null : moment(new Date(timestamp * 1000).toISOString())),
}

function withScope(command: Command): Command {
  return withOutput(command)
    .option('--cluster <cluster>', 'of this cluster, by name or id')
    .option('--node <node>', 'of this node, by hostname or id')
}

export function addMetrics(program: Command, config: () => Config, terminal: Terminal): void {
  const metrics = program.command('metrics').description('Show the metrics of a node or a cluster')
  withScope(metrics.command('list'))
    .description('List the names of metrics')
    .action((options: MetricFlags) =>
      withApi(config(), async (rpc) => {
        const scope = await scopeOf(rpc, options)
        const { metrics: names } =
          scope.kind === 'node'
            ? await rpc.metrics.namesOfNode.query({ id: scope.id })
            : await rpc.metrics.namesOfCluster.query({ id: scope.id })
        const view: View<(typeof names)[number]> = {
          columns: { METRIC: ({ metric_name: name }) => name },
          name: ({ metric_name: name }) => name,
        }
        await print(terminal, names, view, options)
      }),
    )
  withWatch(withScope(metrics.command('show <names...>')))
    .description('Show the latest values; * in a name stands for any characters')
    .option('--across', 'with --cluster: one value for each node')
    .action((names: string[], options: MetricFlags) =>
      watched(terminal, options, () => withApi(config(), (rpc) => showMetrics(terminal, rpc, names, options))),
    )
  addHistory(metrics, config, terminal)
}

type HistoryOptions = MetricFlags & HistoryFlags

function addHistory(metrics: Command, config: () => Config, terminal: Terminal): void {
  withScope(metrics.command('history <names...>'))
    .description('Show the values over time, with a chart on a terminal; -o json has every point')
    .option('--from <time>', 'ISO 8601; an hour ago if it is missing')
    .option('--to <time>', 'ISO 8601; now if it is missing')
    .option('--step <seconds>', 'between two points; 10 for the readings')
    .option('--across', 'with --cluster: the values of each node')
    .action((names: string[], options: HistoryOptions) =>
      withApi(config(), (rpc) => showHistory(terminal, rpc, names, options)),
    )
}

async function showHistory(terminal: Terminal, rpc: Rpc, metrics: string[], options: HistoryOptions): Promise<void> {
  const { kind, id } = await scopeOf(rpc, options)
  const query = { id, metrics, ...rangeOf(options, Date.now()) }
  const view = historyView(terminal.out.isTTY)
  if (options.across === true && kind === 'cluster') {
    const hostnames = await hostnamesByUri(rpc)
    const NODE = ({ node }: NodeMetricSeries) => hostnames.get(node)
    const { metrics: rows } = await rpc.metrics.historyAcross.query(query)
    return print(terminal, rows, { columns: { NODE, ...view.columns }, name: ({ metric_name: name }) => name }, options)
  }
  const { metrics: rows } =
    kind === 'node' ? await rpc.metrics.historyOfNode.query(query) : await rpc.metrics.historyOfCluster.query(query)
  await print(terminal, rows, view, options)
}

async function showMetrics(terminal: Terminal, rpc: Rpc, metrics: string[], options: MetricFlags): Promise<void> {
  const { kind, id } = await scopeOf(rpc, options)
  if (options.across === true && kind === 'cluster') {
    const hostnames = await hostnamesByUri(rpc)
    const rows: NodeMetricSample[] = []
    for await (const slice of await rpc.metrics.across.query({ id, metrics })) rows.push(...slice)
    const columns = { NODE: ({ node }: NodeMetricSample) => hostnames.get(node), ...sampleColumns }
    return print(terminal, rows, { columns, name: ({ metric_name: name }) => name }, options)
  }
  const found =
    kind === 'node'
      ? await rpc.metrics.pollNode.query({ id, metrics })
      : await rpc.metrics.pollCluster.query({ id, metrics })
  await print(terminal, found.metrics, { columns: sampleColumns, name: ({ metric_name: name }) => name }, options)
}

async function scopeOf(rpc: Rpc, { cluster, node }: MetricFlags) {
  if (node !== undefined && cluster === undefined)
    return { kind: 'node', id: (await nodeOf(rpc.nodes, node)).id } as const
  if (cluster !== undefined && node === undefined)
    return { kind: 'cluster', id: (await findCluster(rpc, cluster)).id } as const
  throw new CommandError('Give either --cluster or --node.', exitCodes.usage)
}
