import type { Command } from 'commander'
import type { Config } from '../../config.js'
import { pick, withApi } from '../client/api.js'
import type { Rpc } from '../client/api.js'
import { parseDuration } from '../terminal/durations.js'
import { CommandError, exitCodes } from '../terminal/exit-codes.js'
import { findOperator } from './operators.js'
import { moment, state } from '../terminal/cells.js'
import { confirmLoss, yesFlag } from '../terminal/confirm.js'
import type { ConfirmFlags } from '../terminal/confirm.js'
import { isStructured, printResult, printValue, withOutput, withResult } from '../terminal/output.js'
import type { OutputOptions, ResultOptions, View } from '../terminal/output.js'
import type { Terminal } from '../terminal/terminal.js'
import { addListOfOperator } from './list-of-operator.js'

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

const view: View<KeyRecord> = {
  columns: {
    ID: ({ id }) => id,
    OPERATOR: ({ operator_name }) => operator_name,
    LABEL: ({ label }) => label || null,
    STATE: (key) => state(key.state),
    CREATED: ({ created }) => moment(created),
    EXPIRES: ({ expires }) => moment(expires),
    'LAST USED': ({ last_used }) => moment(last_used),
  },
  name: ({ id }) => id,
}

export function addKeys(program: Command, config: () => Config, terminal: Terminal): void {
  const key = program.command('key').description('Manage the keys of operators')
  addListOfOperator(key, config, terminal, {
    description: 'List keys, all or those of one operator',
    view,
    page: (rpc, query) => rpc.apiKeys.list.query(query),
  })
  withOutput(key.command('create <operator>'))
    .description('Create a key for an operator and print it. It is not shown again.')
    .option('--label <text>', 'purpose of the key', '')
    .option('--ttl <time>', 'lifetime, such as 12h or 90d (default: unlimited)', parseDuration)
    .action((nameOrId: string, { label, ttl, ...options }: KeyFlags) =>
      withApi(config(), async (rpc) => {
        const { id: operator } = await findOperator(rpc, nameOrId)
        await printKey(terminal, options, await rpc.apiKeys.create.mutate({ operator, label, ttl_seconds: ttl }))
      }),
    )
  withOutput(key.command('rotate <id>'))
    .description('Rotate a key; the old key stays valid for --overlap')
    .option('--overlap <time>', 'time for which the old key stays valid (default: 1d)', parseDuration)
    .option('--ttl <time>', 'lifetime of the new key (default: that of the old one)', parseDuration)
    .action((id: string, { overlap, ttl, ...options }: RotationFlags) =>
      withApi(config(), async (rpc) => {
        const rotation = { overlap_seconds: overlap, ttl_seconds: ttl }
        await printKey(terminal, options, await rpc.apiKeys.rotate.mutate({ id: await findKey(rpc, id), rotation }))
      }),
    )
  withResult(key.command('revoke <id>'))
    .description('Revoke a key at once. Its open streams end within seconds.')
    .option(...yesFlag)
    .action((id: string, flags: ConfirmFlags & ResultOptions) =>
      withApi(config(), async (rpc) => {
        await confirmLoss(terminal, flags, { loss: `Programs that use key ${id} are refused at once.`, name: id })
        const record = await rpc.apiKeys.revoke.mutate({ id: await findKey(rpc, id) })
        const sentence = `key ${id} of ${record.operator_name} revoked`
        await printResult(terminal, { record, view, sentence }, flags)
      }),
    )
}

/** Prints a new key. It alone goes to standard output, so that it can be redirected to a file. */
async function printKey(terminal: Terminal, options: OutputOptions, created: CreatedKey): Promise<void> {
  const { out, err } = terminal
  if (isStructured(options)) await printValue(terminal, created, options)
  else out.write(`${created.credentials}\n`)
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
