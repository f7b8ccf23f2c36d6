import type { Command } from 'commander'
import type { Config } from '../config.js'
import { listAll, pick, withApi } from './api.js'
import type { Rpc } from './api.js'
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
  const key = program.command('key').description('The keys of operators.')
  key
    .command('list [operator]')
    .description('List them all, or those of one operator.')
    .addOption(outputOption())
    .action((word: string | undefined, options: OutputOptions) =>
      withApi(config(), async (rpc) => {
        const filters = word === undefined ? {} : { operator: (await findOperator(rpc, word)).id }
        out.write(render(await listAll((range) => rpc.apiKeys.list.query({ ...range, filters })), columns, options))
      }),
    )
  key
    .command('create <operator>')
    .description('Make a further one, and print it: it is not shown again.')
    .option('--label <text>', 'what it is for', '')
    .option('--ttl <time>', 'how long it is good, such as 12h or 90d; for ever unless given', parseDuration)
    .addOption(outputOption())
    .action((word: string, { label, ttl, output }: KeyFlags) =>
      withApi(config(), async (rpc) => {
        const { id: operator } = await findOperator(rpc, word)
        show(terminal, output, await rpc.apiKeys.create.mutate({ operator, label, ttl_seconds: ttl }))
      }),
    )
  key
    .command('rotate <id>')
    .description('Make a new one in the place of one, which goes on working for a while.')
    .option('--overlap <time>', 'how long both work (default: 1d)', parseDuration)
    .option('--ttl <time>', 'how long the new one is good; as long as the old one was, unless given', parseDuration)
    .addOption(outputOption())
    .action((id: string, { overlap, ttl, output }: RotationFlags) =>
      withApi(config(), async (rpc) => {
        const rotation = { overlap_seconds: overlap, ttl_seconds: ttl }
        show(terminal, output, await rpc.apiKeys.rotate.mutate({ id: await findKey(rpc, id), rotation }))
      }),
    )
  key
    .command('revoke <id>')
    .description('End one at once, and what streams to it within seconds.')
    .action((id: string) =>
      withApi(config(), async (rpc) => {
        const { operator_name: name } = await rpc.apiKeys.revoke.mutate({ id: await findKey(rpc, id) })
        out.write(`key ${id} of ${name} is revoked\n`)
      }),
    )
}

/** The one time that a key is shown: alone on standard output, so that it can go into a file. */
function show({ out, err }: Terminal, output: OutputOptions['output'], created: CreatedKey): void {
  out.write(output === 'json' ? `${JSON.stringify(created, null, 2)}\n` : `${created.credentials}\n`)
  err.write(`key ${created.id} of ${created.operator_name}; it is not shown again\n`)
}

async function findKey({ apiKeys }: Rpc, word: string): Promise<number> {
  const { objects } = await apiKeys.list.query({ filters: { id: parseId(word) } })
  return pick('key', word, objects, ({ id }) => String(id)).id
}

function parseId(text: string): number {
  if (!/^\d{1,9}$/.test(text))
    throw new CommandError("Give the key's number, as 'roost key list' shows it.", exitCodes.usage)
  return Number(text)
}
