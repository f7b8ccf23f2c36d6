import type { ExplainedPart, Explanations } from '@roost/api-types/rest'
import type { Command } from 'commander'
import type { Config } from '../../config.js'
import { findCluster, withApi } from '../client/api.js'
import type { Rpc } from '../client/api.js'
import { hostnamesByUri } from '../records/fields.js'
import { addRecordFields } from './record-fields.js'
import { moment } from '../terminal/cells.js'
import { isStructured, print, printValue, withOutput } from '../terminal/output.js'
import type { OutputOptions, View } from '../terminal/output.js'
import type { Terminal } from '../terminal/terminal.js'

/** A node or a device, in the number `number`. */
interface PartRow extends ExplainedPart {
  readonly number: string
  /** Why it is left out; null if it counts. */
  readonly reason: string | null
}

const questions = {
  capacity: 'Show which devices are part of the capacity of a cluster, which are not, and why',
  forecast: 'Show by which days, limit and devices the days until full of a cluster are forecast',
  health: 'Show of which nodes the health of a cluster is made, which are left out, and why',
} as const

export function addExplain(program: Command, config: () => Config, terminal: Terminal): void {
  const explain = program
    .command('explain')
    .description('Show of which nodes, devices and readings a number is made, and what fields are')
  addRecordFields(explain, config, terminal)
  for (const kind of ['capacity', 'forecast', 'health'] as const)
    withOutput(explain.command(`${kind} <cluster>`))
      .description(questions[kind])
      .action((nameOrId: string, options: OutputOptions) =>
        withApi(config(), async (rpc) => {
          const { id } = await findCluster(rpc, nameOrId)
          await show(terminal, rpc, await rpc.clusters.explain[kind].query({ id }), options)
        }),
      )
  withOutput(explain.command('metrics <cluster> <names...>'))
    .description(
      'Show of which nodes the values of metrics of a cluster are made; * in a name stands for any characters',
    )
    .action((nameOrId: string, metrics: string[], options: OutputOptions) =>
      withApi(config(), async (rpc) => {
        const { id } = await findCluster(rpc, nameOrId)
        await show(terminal, rpc, await rpc.clusters.explain.metrics.query({ id, metrics }), options)
      }),
    )
}

async function show(terminal: Terminal, rpc: Rpc, explanations: Explanations, options: OutputOptions): Promise<void> {
  if (isStructured(options)) return printValue(terminal, explanations, options)
  const hostnames = await hostnamesByUri(rpc)
  const rows = explanations.explained.flatMap(({ name, counted, left_out: leftOut }): PartRow[] => [
    ...counted.map((part) => ({ ...part, number: name, reason: null })),
    ...leftOut.map((part) => ({ ...part, number: name })),
  ])
  await print(terminal, rows, viewOf(hostnames), options)
}

function viewOf(hostnames: ReadonlyMap<string, string>): View<PartRow> {
  return {
    columns: {
      NUMBER: ({ number }) => (number === '' ? '-' : number),
      NODE: ({ node }) => (node === null ? null : (hostnames.get(node) ?? node)),
      SUBJECT: ({ name }) => name,
      COUNTED: ({ reason }) => (reason === null ? 'yes' : `no: ${reason}`),
      VALUES: ({ values }) => valuesText(values),
      READ: ({ read }) => (read === null ? null : moment(read)),
    },
    name: ({ number, node, name }) => [number, node, name].filter((part) => part !== null && part !== '').join(' '),
  }
}

function valuesText(values: ExplainedPart['values']): string {
  const entries = Object.entries(values)
  if (entries.length === 1) return String(entries[0]?.[1])
  return entries.map(([name, value]) => `${name}=${value}`).join(' ')
}
