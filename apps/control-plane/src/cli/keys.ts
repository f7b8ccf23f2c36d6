import type { Command } from 'commander'
import type { Config } from '../config.js'
import { listAll, pick, withApi } from './client/api.js'
import type { Rpc } from './client/api.js'
import { parseDuration } from './terminal/durations.js'
import { CommandError, exitCodes } from './terminal/exit-codes.js'
import { findOperator } from './operators.js'
import { outputOption, render } from './terminal/output.js'
import type { Columns, OutputOptions } from './terminal/output.js'
import type { Terminal } from './terminal/terminal.js'

type KeyRecord = Awaited<ReturnType<Rpc['apiKeys']['revoke']['mutate']>>
type CreatedKey = Awaited<ReturnType<Rpc['apiKeys']['create']['mutate']>>

interface KeyFlags extends OutputOptions {
  readonly label: string
  readonly ttl?: number
}

interface RotationFlags extends OutputOptions {
  readonly overlap?: number
  readonly ttl?: number
}

const columns: Columns<KeyRecord> = {
  ID: ({ id }) => id,
  OPERATOR: ({ operator_name }) => operator_name,
  LABEL: ({ label }) => label || null,
  STATE: ({ state }) => state,
  CREATED: ({ created }) => created,
  EXPIRES: ({ expires }) => expires,
  'LAST USED': ({ last_used }) => last_used,
}

export function addKeys(program: Command, config: () => Config, terminal: Terminal): void {
  const { out } = terminal
  const key = program.command('key').description('Manage the keys of operators')
  key
    .command('list [operator]')
    .description('List keys, all or those of one operator')
    .addOption(outputOption())
    .action((nameOrId: string | undefined, options: OutputOptions) =>
      withApi(config(), async (rpc) => {
        const filters = nameOrId === undefined ? {} : { operator: (await findOperator(rpc, nameOrId)).id }
        out.write(render(await listAll((range) => rpc.apiKeys.list.query({ ...range, filters })), columns, options))
      }),
    )
  key
    .command('create <operator>')
    .description('Create a key for an operator and print it. It is not shown again.')
    .option('--label <text>', 'purpose of the key', '')
    .option('--ttl <time>', 'lifetime, such as 12h or 90d (default: unlimited)', parseDuration)
    .addOption(outputOption())
    .action((nameOrId: string, { label, ttl, output }: KeyFlags) =>
      withApi(config(), async (rpc) => {
        const { id: operator } = await findOperator(rpc, nameOrId)
        printKey(terminal, output, await rpc.apiKeys.create.mutate({ operator, label, ttl_seconds: ttl }))
      }),
    )
  key
    .command('rotate <id>')
    .description('Rotate a key; the old key stays valid for --overlap')
    .option('--overlap <time>', 'time for which the old key stays valid (default: 1d)', parseDuration)
    .option('--ttl <time>', 'lifetime of the new key (default: that of the old one)', parseDuration)
    .addOption(outputOption())
    .action((id: string, { overlap, ttl, output }: RotationFlags) =>
      withApi(config(), async (rpc) => {
        const rotation = { overlap_seconds: overlap, ttl_seconds: ttl }
        printKey(terminal, output, await rpc.apiKeys.rotate.mutate({ id: await findKey(rpc, id), rotation }))
      }),
    )
  key
    .command('revoke <id>')
    .description('Revoke a key at once. Its open streams end within seconds.')
    .action((id: string) =>
      withApi(config(), async (rpc) => {
        const { operator_name: name } = await rpc.apiKeys.revoke.mutate({ id: await findKey(rpc, id) })
        out.write(`key ${id} of ${name} revoked\n`)
      }),
    )
}

/** Prints a new key. It alone goes to standard output, so that it can be redirected to a file. */
function printKey({ out, err }: Terminal, output: OutputOptions['output'], created: CreatedKey): void {
  out.write(output === 'json' ? `${JSON.stringify(created, null, 2)}\n` : `${created.credentials}\n`)
  err.write(`created key ${created.id} of ${created.operator_name}; the key is not shown again\n`)
}

async function findKey({ apiKeys }: Rpc, nameOrId: string): Promise<number> {
  const { objects } = await apiKeys.list.query({ filters: { id: parseId(nameOrId) } })
  return pick('key', nameOrId, objects, ({ id }) => String(id)).id
}

function parseId(text: string): number {
  if (!/^\d{1,9}$/.test(text))
    throw new CommandError(`'${text}' is not a key id. Use the ID that "roost key list" shows.`, exitCodes.usage)
  return Number(text)
}
