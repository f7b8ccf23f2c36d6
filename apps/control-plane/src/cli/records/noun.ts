import type { Command } from 'commander'
import { Option } from 'commander'
import type { Config } from '../../config.js'
import { listAll, withApi } from '../client/api.js'
import type { ListPage, ListRange, Rpc } from '../client/api.js'
import { confirmLoss, yesFlag } from '../terminal/confirm.js'
import type { ConfirmFlags } from '../terminal/confirm.js'
import { CommandError, exitCodes } from '../terminal/exit-codes.js'
import { print, printOne, withOutput } from '../terminal/output.js'
import type { OutputOptions, View } from '../terminal/output.js'
import type { Terminal } from '../terminal/terminal.js'
import { watched, withWatch } from '../terminal/watch.js'
import type { WatchOptions } from '../terminal/watch.js'

export type FilterValue = string | number | boolean
export type Filters = Readonly<Record<string, FilterValue>>
export type Values = Readonly<Record<string, unknown>>

/** An option of `list` that selects records. */
export interface FilterOption {
  readonly flags: string
  readonly description: string
  /** Returns the filter of the API; a name may need a look-up. */
  readonly filter: (rpc: Rpc, value: string) => Promise<Filters>
}

/** An option of `add` and `set` for one field. */
export interface FieldOption {
  readonly flags: string
  readonly description: string
  readonly field: string
  readonly isRequired?: boolean
  /** Returns the value of the API; a name may need a look-up, and a secret is read from its file. */
  readonly value: (rpc: Rpc, text: string) => Promise<unknown>
}

interface Writes<R> {
  readonly fields: readonly FieldOption[]
  readonly run: (rpc: Rpc, record: R, values: Values) => Promise<R>
}

/** THE DECLARATION of a kind of records: its commands follow from it. */
export interface Noun<R> {
  readonly name: string
  readonly description: string
  /** Such as `storage policies`. */
  readonly plural: string
  /** What names a record, such as `by name or id`. */
  readonly named: string
  readonly view: (rpc: Rpc) => Promise<View<R>>
  readonly list: (
    rpc: Rpc,
    query: ListRange & { readonly filters: Filters; readonly order_by?: string[] },
  ) => Promise<ListPage<R>>
  readonly find: (rpc: Rpc, nameOrId: string) => Promise<R>
  readonly filters: readonly FilterOption[]
  readonly add?: Omit<Writes<R>, 'run'> & { readonly run: (rpc: Rpc, name: string, values: Values) => Promise<R> }
  readonly change?: Writes<R>
  /** When enabling and disabling takes effect, as a sentence; with the next deployment unless given. */
  readonly enabledFrom?: string
  readonly remove?: { readonly loss: (record: R) => string; readonly run: (rpc: Rpc, record: R) => Promise<unknown> }
}

/** Adds the commands of a kind of records, and returns the command that they are below. */
export function addNoun<R>(program: Command, config: () => Config, terminal: Terminal, noun: Noun<R>): Command {
  const parent = program.command(noun.name).description(noun.description)
  addListOf(parent, config, terminal, noun)
  withWatch(withOutput(parent.command(`show <${noun.name}>`)))
    .description(`Show one, ${noun.named}`)
    .action((nameOrId: string, options: OutputOptions & WatchOptions) =>
      watched(terminal, options, () =>
        withApi(config(), async (rpc) => {
          await printOne(terminal, await noun.find(rpc, nameOrId), await noun.view(rpc), options)
        }),
      ),
    )
  addWrites(parent, config, terminal, noun)
  const { remove } = noun
  if (remove !== undefined)
    parent
      .command(`remove <${noun.name}>`)
      .description(`Remove one, ${noun.named}`)
      .option(...yesFlag)
      .action((nameOrId: string, flags: ConfirmFlags) =>
        withApi(config(), async (rpc) => {
          const record = await noun.find(rpc, nameOrId)
          const name = String((await noun.view(rpc)).name(record))
          await confirmLoss(terminal, flags, { loss: remove.loss(record), name })
          await remove.run(rpc, record)
          terminal.out.write(`${noun.name} ${name} removed\n`)
        }),
      )
  return parent
}

interface ListFlags extends OutputOptions, WatchOptions {
  readonly sortBy?: string
  readonly limit?: string
}

function addListOf<R>(parent: Command, config: () => Config, terminal: Terminal, noun: Noun<R>): void {
  const command = withWatch(withOutput(parent.command('list')))
    .description(`List ${noun.plural}`)
    .option('--sort-by <field>', 'order by a field of the API, such as id or -id')
    .option('--limit <number>', 'print at most so many')
  for (const { flags, description } of noun.filters) command.option(flags, description)
  command.action((options: ListFlags & Values) =>
    watched(terminal, options, () =>
      withApi(config(), async (rpc) => {
        const found: Filters[] = []
        for (const { flags, filter } of noun.filters) {
          const value = options[attributeOf(flags)]
          if (typeof value === 'string') found.push(await filter(rpc, value))
        }
        const query = {
          filters: Object.assign({}, ...found) as Filters,
          ...(options.sortBy !== undefined && { order_by: [options.sortBy] }),
        }
        const { limit } = options
        const records =
          limit === undefined
            ? await listAll((range) => noun.list(rpc, { ...range, ...query }))
            : (await noun.list(rpc, { limit: limitOf(limit), offset: 0, ...query })).objects
        await print(terminal, records, await noun.view(rpc), options)
      }),
    ),
  )
}

function limitOf(text: string): number {
  const limit = /^\d{1,4}$/.test(text) ? Number(text) : 0
  if (limit >= 1 && limit <= 1000) return limit
  throw new CommandError('--limit must be a number from 1 to 1000.', exitCodes.usage)
}

/** Returns the name under which commander passes an option. */
function attributeOf(flags: string): string {
  return new Option(flags).attributeName()
}

function addWrites<R>(parent: Command, config: () => Config, terminal: Terminal, noun: Noun<R>): void {
  const { add, change, enabledFrom = 'It takes effect with the next deployment.' } = noun
  if (add !== undefined)
    withFields(withOutput(parent.command('add <name>')), add.fields)
      .description(`Add one`)
      .action((name: string, options: OutputOptions & Values) =>
        withApi(config(), async (rpc) => {
          const record = await add.run(rpc, name, await valuesOf(rpc, add.fields, options))
          await printOne(terminal, record, await noun.view(rpc), options)
        }),
      )
  if (change === undefined) return
  const run = (nameOrId: string, options: OutputOptions, read: (rpc: Rpc) => Promise<Values>) =>
    withApi(config(), async (rpc) => {
      const record = await change.run(rpc, await noun.find(rpc, nameOrId), await read(rpc))
      await printOne(terminal, record, await noun.view(rpc), options)
    })
  withFields(withOutput(parent.command(`set <${noun.name}>`)), change.fields)
    .description(`Change fields of one, ${noun.named}`)
    .action((nameOrId: string, options: OutputOptions & Values) =>
      run(nameOrId, options, async (rpc) => {
        const values = await valuesOf(rpc, change.fields, options)
        if (Object.keys(values).length > 0) return values
        throw new CommandError('Nothing to change. --help lists the fields.', exitCodes.usage)
      }),
    )
  for (const [verb, enabled] of [['enable', true] as const, ['disable', false] as const])
    withOutput(parent.command(`${verb} <${noun.name}>`))
      .description(`${verb === 'enable' ? 'Enable' : 'Disable'} one, ${noun.named}. ${enabledFrom}`)
      .action((nameOrId: string, options: OutputOptions) => run(nameOrId, options, async () => ({ enabled })))
}

function withFields(command: Command, fields: readonly FieldOption[]): Command {
  for (const { flags, description, isRequired = false } of fields)
    if (isRequired) command.requiredOption(flags, description)
    else command.option(flags, description)
  return command
}

async function valuesOf(rpc: Rpc, fields: readonly FieldOption[], options: Values): Promise<Values> {
  const values: Record<string, unknown> = {}
  for (const { flags, field, value } of fields) {
    const given = options[attributeOf(flags)]
    if (typeof given === 'string') values[field] = await value(rpc, given)
  }
  return values
}
