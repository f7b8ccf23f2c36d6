import { InvalidArgumentError } from 'commander'
import type { Command } from 'commander'
import type { Config } from '../config.js'
import { findCluster, withApi } from './client/api.js'
import type { Rpc } from './client/api.js'
import { parseTokenRoles } from './records/roles.js'
import { parseDuration } from './terminal/durations.js'
import { CommandError, exitCodes } from './terminal/exit-codes.js'
import { moment } from './terminal/cells.js'
import { confirmLoss, yesFlag } from './terminal/confirm.js'
import type { ConfirmFlags } from './terminal/confirm.js'
import { isStructured, print, printResult, printValue, withOutput, withResult } from './terminal/output.js'
import type { OutputOptions, ResultOptions, View } from './terminal/output.js'
import type { Terminal } from './terminal/terminal.js'
import { watched, withWatch } from './terminal/watch.js'
import type { WatchOptions } from './terminal/watch.js'

interface TokenFlags extends OutputOptions {
  readonly cluster: string
  readonly ttl?: number
  readonly uses?: number
  readonly roles?: ReturnType<typeof parseTokenRoles>
  readonly prepare?: boolean
}

type TokenRecord = Awaited<ReturnType<Rpc['tokens']['list']['query']>>[number]

const view: View<TokenRecord> = {
  columns: {
    ID: ({ id }) => id,
    CLUSTER: ({ cluster }) => cluster,
    'USES LEFT': ({ uses_left }) => uses_left,
    ROLES: ({ roles }) => roles.join(','),
    EXPIRES: ({ expires }) => moment(expires),
  },
  name: ({ id }) => id,
}

export function addTokens(program: Command, config: () => Config, terminal: Terminal): void {
  const { out, err } = terminal
  const token = program.command('token').description('Manage enrollment tokens for new nodes')
  withOutput(token.command('create'))
    .description('Create a token and print the line that root runs on the new node')
    .option('--cluster <cluster>', 'cluster that the node joins, by name or id', 'default')
    .option('--ttl <time>', 'lifetime, from 1m to 7d (default: 1h)', parseLifetime)
    .option('--uses <number>', 'number of nodes that can use it (default: 1)', parseUses)
    .option(
      '--roles <roles>',
      'approve these roles of the node: gateway, proxy (default: none); with --prepare also storage',
      parseTokenRoles,
    )
    .option('--prepare', 'also prepare the servers of these roles on the node')
    .action(({ cluster: nameOrId, ttl, uses, roles, prepare, ...options }: TokenFlags) =>
      withApi(config(), async ({ clusters, tokens }) => {
        const cluster = await findCluster({ clusters }, nameOrId)
        const preparation = preparationOf(roles, prepare)
        const created = await tokens.create.mutate({ cluster: cluster.id, ttl_seconds: ttl, uses, ...preparation })
        if (created.warning !== null) err.write(`warning: ${created.warning}\n`)
        if (isStructured(options)) await printValue(terminal, created, options)
        else out.write(`${created.install ?? created.lines.join('\n')}\n`)
      }),
    )
  withWatch(withOutput(token.command('list')))
    .description('List the tokens that a node can still use. Their secrets are not stored.')
    .action((options: OutputOptions & WatchOptions) =>
      watched(terminal, options, () =>
        withApi(config(), async ({ tokens }) => print(terminal, await tokens.list.query(), view, options)),
      ),
    )
  withResult(token.command('revoke <id>'))
    .description('Revoke a token at once. Nodes that enrolled with it stay.')
    .option(...yesFlag)
    .action((id: string, flags: ConfirmFlags & ResultOptions) =>
      withApi(config(), async ({ tokens }) => {
        await confirmLoss(terminal, flags, { loss: `Nodes cannot enroll with token ${id} any more.`, name: id })
        const record = await tokens.revoke.mutate({ id: parseId(id) })
        const sentence = `token ${id} of cluster ${record.cluster} revoked`
        await printResult(terminal, { record, view, sentence }, flags)
      }),
    )
}

/** Returns what the token grants, and what its line prepares. */
function preparationOf(chosen: TokenFlags['roles'], prepare: boolean | undefined) {
  if (chosen === undefined) return { prepare }
  const { roles, isStorage } = chosen
  if (!isStorage) return { roles, prepare }
  if (prepare !== true)
    throw new CommandError(
      'Storage is a role that needs no approval. Add --prepare to prepare its servers, or omit it.',
      exitCodes.usage,
    )
  return { roles, prepare: roles.length > 0, prepare_storage: true }
}

function parseId(text: string): number {
  if (!/^\d{1,9}$/.test(text))
    throw new CommandError(`'${text}' is not a token id. Use the ID that "roost token list" shows.`, exitCodes.usage)
  return Number(text)
}

/** The API states these limits in seconds. */
function parseLifetime(text: string): number {
  const seconds = parseDuration(text)
  if (seconds < 60 || seconds > 604_800) throw new InvalidArgumentError('Use a time from 1m to 7d.')
  return seconds
}

function parseUses(text: string): number {
  if (!/^\d{1,4}$/.test(text)) throw new InvalidArgumentError('Use a number from 1 to 1000.')
  return Number(text)
}
