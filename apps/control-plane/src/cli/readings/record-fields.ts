import type { Command } from 'commander'
import { z } from 'zod'
import type { Config } from '../../config.js'
import { requireKey } from '../client/api.js'
import { sendAccepted } from '../client/http.js'
import { findConnection } from '../client/target.js'
import { CommandError, exitCodes } from '../terminal/exit-codes.js'
import { print, withOutput } from '../terminal/output.js'
import type { OutputOptions, View } from '../terminal/output.js'
import type { Terminal } from '../terminal/terminal.js'

const Field = z.object({ type: z.string(), help_text: z.string(), readonly: z.boolean(), nullable: z.boolean() })
const Schema = z.object({ fields: z.record(z.string(), Field) })
const Index = z.record(z.string(), z.unknown())

interface FieldRow extends z.infer<typeof Field> {
  readonly name: string
}

/** Adds `explain fields`, which describes the fields of a kind of record by the schema that the control plane serves. */
export function addRecordFields(explain: Command, config: () => Config, terminal: Terminal): void {
  withOutput(explain.command('fields <resource> [field]'))
    .description('Describe the fields of a resource, such as node, share or storage_policies')
    .action(async (resource: string, field: string | undefined, options: OutputOptions) => {
      const fields = await readFields(config(), resource)
      const rows = fields.filter(({ name }) => field === undefined || name === field)
      if (rows.length === 0)
        throw new CommandError(
          `${resource} has no field '${field ?? ''}'. It has ${fields.map(({ name }) => name).join(', ')}.`,
          exitCodes.notFound,
        )
      await print(terminal, rows, view, options)
    })
}

async function readFields(settings: Config, resource: string): Promise<readonly FieldRow[]> {
  const connection = await findConnection(settings)
  const headers = { authorization: `apikey ${requireKey(connection, settings)}` }
  const get = async (path: string) => JSON.parse((await sendAccepted(connection, { path, headers })).body) as unknown
  const names = Object.keys(Index.parse(await get('/api/v1/')))
  const name = names.find((one) => isNamed(one, resource))
  if (name === undefined)
    throw new CommandError(`There is no resource '${resource}'. There are ${names.join(', ')}.`, exitCodes.notFound)
  const { fields } = Schema.parse(await get(`/api/v1/${name}/schema/`))
  return Object.entries(fields).map(([field, described]) => ({ name: field, ...described }))
}

/** Whether a text is a resource as routes name it, or one of its records as the command line does: `share` of `gateway_shares`. */
function isNamed(resource: string, text: string): boolean {
  return [text, `${text}s`, `${text.replace(/y$/, 'ie')}s`].some(
    (one) => resource === one || resource.endsWith(`_${one}`),
  )
}

const view: View<FieldRow> = {
  columns: {
    FIELD: ({ name }) => name,
    TYPE: ({ type, nullable }) => `${type}${nullable ? ' or null' : ''}`,
    'SET BY': ({ readonly }) => (readonly ? 'Roost' : 'you'),
    DESCRIPTION: ({ help_text: help }) => help,
  },
  name: ({ name }) => name,
}
