import type { Command } from 'commander'
import type { Config } from '../../config.js'
import { findCluster, listAll, nodeOf, withApi } from '../client/api.js'
import { moment, state } from '../terminal/cells.js'
import { confirmYes, yesFlag } from '../terminal/confirm.js'
import type { ConfirmFlags } from '../terminal/confirm.js'
import { isStructured, isTabular, print, printResult, printValue, withOutput, withResult } from '../terminal/output.js'
import type { OutputOptions, ResultOptions, View } from '../terminal/output.js'
import type { Terminal } from '../terminal/terminal.js'
import { watched, withWatch } from '../terminal/watch.js'
import type { WatchOptions } from '../terminal/watch.js'
import { counted, printable } from '@roost/runtime'
import type { Drift, DriftedNode } from '@roost/api-types/rest'

type Item = Drift['kinds'][number]['items'][number] & { readonly kind: string }

const items: View<Item> = {
  columns: {
    KIND: ({ kind }) => kind,
    SUBJECT: ({ subject }) => subject,
    ADOPTABLE: ({ adoptable }) => adoptable,
    MESSAGE: ({ message }) => message,
  },
  wide: { DIFF: ({ diff }) => diff },
  name: ({ subject }) => subject,
}

interface ListFlags extends OutputOptions, WatchOptions {
  readonly cluster?: string
}

const nodesView: View<DriftedNode> = {
  columns: {
    NODE: ({ hostname }) => hostname,
    STATE: ({ state: current }) => state(current),
    KIND: ({ kinds }) => kinds.map(({ kind }) => kind).join(','),
    DIFFERENCES: ({ kinds }) => sumOf(kinds.map(({ items: each }) => each)),
    ADOPTABLE: ({ kinds }) => sumOf(kinds.map(({ adoptable }) => adoptable)),
    SINCE: ({ kinds }) => moment(kinds.map(({ since }) => since).toSorted()[0]),
  },
  name: ({ hostname }) => hostname,
}

const questions = {
  adopt: 'The shares get the values that the node has now. Adopt them?',
  reapply: 'The node gets what was deployed; what was changed there by hand is lost. Reapply it?',
} as const

export function addDrift(program: Command, config: () => Config, terminal: Terminal): void {
  const drift = program.command('drift').description('Show and resolve what was changed on nodes without Roost')
  withWatch(withOutput(drift.command('list')))
    .description('List the nodes that differ from what was deployed')
    .option('--cluster <cluster>', 'only nodes of this cluster, by name or id')
    .action(({ cluster, ...options }: ListFlags) =>
      watched(terminal, options, () =>
        withApi(config(), async (rpc) => {
          const only = cluster === undefined ? {} : { cluster: (await findCluster(rpc, cluster)).id }
          const drifted = await listAll((range) => rpc.drift.list.query({ ...range, ...only }))
          await print(terminal, drifted, nodesView, options)
        }),
      ),
    )
  withOutput(drift.command('show <node>'))
    .description('Show the differences of a node, by hostname or id')
    .action((nameOrId: string, options: OutputOptions) =>
      withApi(config(), async ({ nodes, drift: found }) => {
        const result = await found.get.query({ id: (await nodeOf(nodes, nameOrId)).id })
        if (isStructured(options)) return printValue(terminal, result, options)
        const rows = itemsOf(result)
        await print(terminal, rows, items, options)
        if (isTabular(options))
          for (const { diff } of rows) terminal.out.write(`\n${diff.split('\n').map(printable).join('\n')}`)
      }),
    )
  const texts = { adopt: 'Store what the node has in the fields of its shares', reapply: 'Restore what was deployed' }
  for (const action of ['adopt', 'reapply'] as const)
    withResult(drift.command(`${action} <node>`))
      .description(texts[action])
      .option(...yesFlag)
      .action((nameOrId: string, options: ResultOptions & ConfirmFlags) =>
        withApi(config(), async ({ nodes, drift: found }) => {
          const { id, hostname } = await nodeOf(nodes, nameOrId)
          await confirmYes(terminal, options, questions[action])
          const record = await found.resolve.mutate({ id, action })
          await printResult(
            terminal,
            { record, view: resolvedView(hostname), sentence: sentenceOf(hostname, record) },
            options,
          )
        }),
      )
}

function sumOf(counts: readonly number[]): number {
  return counts.reduce((sum, count) => sum + count, 0)
}

function itemsOf({ kinds }: Drift): readonly Item[] {
  return kinds.flatMap(({ kind, items: each }) => each.map((item) => ({ kind, ...item })))
}

function resolvedView(hostname: string): View<Drift> {
  return {
    columns: {
      NODE: () => hostname,
      CONFIG: ({ config_state: config }) => state(config),
      DIFFERENCES: (record) => itemsOf(record).length,
    },
    name: () => hostname,
  }
}

function sentenceOf(hostname: string, record: Drift): string {
  const left = itemsOf(record).length
  return `node ${hostname}: configuration ${record.config_state}, ${counted(left, 'difference')}`
}
