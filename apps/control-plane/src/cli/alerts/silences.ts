import { byNames } from '@roost/api-types'
import type { AlertSilence } from '@roost/api-types/rest'
import type { Command } from 'commander'
import type { Config } from '../../config.js'
import { findById, findCluster, findDevice, nodeOf, withApi } from '../client/api.js'
import type { Rpc } from '../client/api.js'
import { byCluster, byNode, byText } from '../records/fields.js'
import { addNoun } from '../records/noun.js'
import type { Noun } from '../records/noun.js'
import { moment } from '../terminal/cells.js'
import { parseDuration } from '../terminal/durations.js'
import { printResult, withResult } from '../terminal/output.js'
import type { ResultOptions } from '../terminal/output.js'
import type { Terminal } from '../terminal/terminal.js'

const silences: Noun<AlertSilence> = {
  name: 'silence',
  plural: 'silences, also those that have ended',
  description: 'Show, add and end silences: alerts that need no action for a time',
  named: 'by id',
  filters: [byCluster, byNode, byText('code', 'only silences of this code')],
  view: async () => ({
    columns: {
      ID: ({ id }) => id,
      MATCHES: ({ matchers }) => matchersText(matchers),
      STARTS: ({ starts_at: at }) => moment(at),
      ENDS: ({ ends_at: at }) => moment(at),
      'UNTIL WORSE': ({ until_worse: untilWorse }) => untilWorse,
      COMMENT: ({ comment }) => comment,
      OPERATOR: ({ operator }) => operator,
    },
    name: ({ id }) => id,
  }),
  list: (rpc, query) => rpc.alertSilences.list.query(byNames(query)),
  find: findSilence,
}

function matchersText(matchers: AlertSilence['matchers']): string {
  const named = Object.entries(matchers).filter(([, value]) => value !== null)
  return named.map(([field, value]) => `${field}=${value}`).join(' ')
}

function findSilence(rpc: Rpc, text: string): Promise<AlertSilence> {
  return findById('silence', rpc.alertSilences, text)
}

interface AddFlags extends ResultOptions {
  readonly cluster?: string
  readonly node?: string
  readonly device?: string
  readonly code?: string
  readonly subject?: string
  /** Seconds. */
  readonly for: number
  readonly comment?: string
  readonly untilWorse?: boolean
}

/** Adds the commands for silences below `roost alert`. */
export function addSilences(alert: Command, config: () => Config, terminal: Terminal): void {
  const silence = addNoun(alert, config, terminal, silences)
  withResult(silence.command('add'))
    .description('Make alerts silent that agree with all that is given')
    .requiredOption('--for <time>', 'for so long, such as 2h; at most 30d', parseDuration)
    .option('--cluster <cluster>', 'of this cluster, by name or id')
    .option('--node <node>', 'of this node, by hostname or id')
    .option('--device <device>', 'of this device, by name, serial number, UUID or id')
    .option('--code <code>', 'of this code, such as DEVICE_UNMOUNTED')
    .option('--subject <subject>', 'of this subject')
    .option('--comment <text>', 'why')
    .option('--until-worse', 'only until they become worse')
    .action((flags: AddFlags) =>
      withApi(config(), async (rpc) => {
        const record = await rpc.alertSilences.create.mutate(await inputOf(rpc, flags))
        const sentence = `silence ${record.id} added, it ends at ${record.ends_at}`
        await printResult(terminal, { record, view: await silences.view(rpc), sentence }, flags)
      }),
    )
  withResult(silence.command('extend <silence>'))
    .description('Let a silence last longer, by id')
    .requiredOption('--for <time>', 'from now on, such as 2h', parseDuration)
    .action((text: string, { for: seconds, ...options }: ResultOptions & Pick<AddFlags, 'for'>) =>
      withApi(config(), async (rpc) => {
        const { id } = await findSilence(rpc, text)
        const record = await rpc.alertSilences.change.mutate({ id, change: { ends_at: endOf(seconds) } })
        const sentence = `silence ${id} extended`
        await printResult(terminal, { record, view: await silences.view(rpc), sentence }, options)
      }),
    )
  silence
    .command('end <silence>')
    .description('End a silence now, by id')
    .action((text: string) =>
      withApi(config(), async (rpc) => {
        const { id } = await findSilence(rpc, text)
        await rpc.alertSilences.remove.mutate({ id })
        terminal.out.write(`silence ${id} ended\n`)
      }),
    )
}

async function inputOf(rpc: Rpc, { cluster, node, device, code, subject, ...flags }: AddFlags) {
  const matchers = {
    ...(cluster !== undefined && { cluster: (await findCluster(rpc, cluster)).id }),
    ...(node !== undefined && { node: (await nodeOf(rpc.nodes, node)).id }),
    ...(device !== undefined && { device: (await findDevice(rpc, device)).id }),
    ...(code !== undefined && { code }),
    ...(subject !== undefined && { subject }),
  }
  const { for: seconds, comment = '', untilWorse = false } = flags
  return { matchers, ends_at: endOf(seconds), comment, until_worse: untilWorse }
}

function endOf(seconds: number): string {
  return new Date(Date.now() + seconds * 1_000).toISOString()
}
