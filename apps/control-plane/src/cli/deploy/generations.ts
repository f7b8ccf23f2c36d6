import type { GenerationDiff, GenerationKind, Generations } from '@roost/api-types/rest'
import { Option } from 'commander'
import type { Command } from 'commander'
import type { Config } from '../../config.js'
import { nodeOf, withApi } from '../client/api.js'
import type { NodeRecord } from '../client/api.js'
import { moment } from '../terminal/cells.js'
import { CommandError, exitCodes } from '../terminal/exit-codes.js'
import { isStructured, print, printValue, withOutput } from '../terminal/output.js'
import type { OutputOptions, View } from '../terminal/output.js'
import type { Terminal } from '../terminal/terminal.js'
import type { JobKind } from './jobs.js'

interface GenerationFlags extends OutputOptions {
  readonly kind?: JobKind
  readonly diff?: readonly string[]
}

const kinds = { shares: 'gateway', users: 'user_db' } as const satisfies Readonly<Record<JobKind, GenerationKind>>

const help = `
"roost deploy shares --node NODE --generation NUMBER" returns a node to one of them, and "roost deploy users" likewise.
Passwords and storage logins are compared and never shown.`

/** Adds the command that shows what was deployed to a node before. */
export function addGenerations(node: Command, config: () => Config, terminal: Terminal): void {
  withOutput(node.command('generations <node>'))
    .description('List the stored generations of a node, by hostname or id, or compare two of them')
    .addOption(
      new Option('--kind <kind>', 'what was deployed (default: shares; users where the node is no gateway)').choices(
        Object.keys(kinds),
      ),
    )
    .option('--diff <generations...>', 'show what differs from one generation to another, such as --diff 3 5')
    .addHelpText('after', help)
    .action((nameOrId: string, { kind: asked, diff, ...options }: GenerationFlags) => {
      const compared = diff === undefined ? undefined : numbersOf(diff)
      return withApi(config(), async ({ nodes, generations }) => {
        const found = await nodeOf(nodes, nameOrId)
        const of = { node: found.id, kind: kinds[asked ?? kindOf(found)] }
        if (compared === undefined) await printList(terminal, await generations.list.query(of), options)
        else await printDiff(terminal, await generations.diff.query({ ...of, ...compared }), options)
      })
    })
}

function kindOf({ node_role: role }: NodeRecord): JobKind {
  return role.runs_proxy && !role.runs_gateway ? 'users' : 'shares'
}

function numbersOf(texts: readonly string[]): { readonly a: number; readonly b: number } {
  if (texts.length !== 2 || !texts.every((text) => /^[1-9]\d{0,8}$/.test(text)))
    throw new CommandError('Give two numbers of generations, such as --diff 3 5.', exitCodes.usage)
  return { a: Number(texts[0]), b: Number(texts[1]) }
}

type Generation = Generations['generations'][number]

const listView: View<Generation> = {
  columns: {
    GENERATION: ({ generation }) => generation,
    STATE: stateOf,
    CREATED: ({ created }) => moment(created),
    OPERATOR: ({ operator }) => operator,
    ACTION: ({ action, returned_to: to }) => (to === null ? action : `return to ${to}`),
    JOB: ({ job }) => job?.split('/').at(-2),
    RECORDS: ({ records }) => records,
  },
  name: ({ generation }) => generation,
}

function stateOf({ is_in_force: isInForce, is_desired: isDesired }: Generation): string | null {
  if (isInForce) return 'in force'
  return isDesired ? 'deployed last' : null
}

async function printList(terminal: Terminal, answer: Generations, options: OutputOptions): Promise<void> {
  if (isStructured(options)) return printValue(terminal, answer, options)
  await print(terminal, answer.generations, listView, options)
}

type Difference = GenerationDiff['differences'][number]
type Row = Pick<Difference, 'type' | 'name' | 'change'> & Partial<Difference['fields'][number]>

const diffView: View<Row> = {
  columns: {
    TYPE: ({ type }) => type,
    NAME: ({ name }) => name,
    CHANGE: ({ change }) => change,
    FIELD: ({ field }) => field,
    BEFORE: ({ before }) => before,
    AFTER: ({ after }) => after,
  },
  name: ({ type, name }) => `${type} ${name}`.trimEnd(),
}

async function printDiff(terminal: Terminal, answer: GenerationDiff, options: OutputOptions): Promise<void> {
  if (isStructured(options)) return printValue(terminal, answer, options)
  await print(terminal, answer.differences.flatMap(rowsOf), diffView, options)
}

/** Returns a row for each field that differs, or the one of a record that is added or removed. */
function rowsOf({ type, name, change, fields }: Difference): readonly Row[] {
  const record = { type, name, change }
  return fields.length === 0 ? [record] : fields.map((field) => ({ ...record, ...field }))
}
