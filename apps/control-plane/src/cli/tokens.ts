import { InvalidArgumentError } from 'commander'
import type { Command } from 'commander'
import type { Config } from '../config.js'
import { listAll, pick, withApi } from './api.js'
import { parseDuration } from './terminal/durations.js'
import { outputOption } from './terminal/output.js'
import type { OutputOptions } from './terminal/output.js'
import type { Terminal } from './terminal/terminal.js'

interface TokenFlags extends OutputOptions {
  readonly cluster: string
  readonly ttl?: number
  readonly uses?: number
}

export function addTokens(program: Command, config: () => Config, { out, err }: Terminal): void {
  const token = program.command('token').description('Tokens that let new nodes in.')
  token
    .command('create')
    .description('Make a token, and print the lines to paste on the new node.')
    .option('--cluster <cluster>', 'the cluster that the node joins, by name or id', 'default')
    .option('--ttl <time>', 'how long it is good, such as 30m or 7d (default: 1h)', parseDuration)
    .option('--uses <number>', 'how many nodes it lets in (default: 1)', parseUses)
    .addOption(outputOption())
    .action(({ cluster: word, ttl, uses, output }: TokenFlags) =>
      withApi(config(), async ({ clusters, tokens }) => {
        const all = await listAll((range) => clusters.list.query(range))
        const cluster = pick('cluster', word, all, ({ name }) => name)
        const created = await tokens.create.mutate({ cluster: cluster.id, ttl_seconds: ttl, uses })
        if (created.warning !== null) err.write(`warning: ${created.warning}\n`)
        if (output === 'json') out.write(`${JSON.stringify(created, null, 2)}\n`)
        else out.write(`${created.lines.join('\n')}\n`)
      }),
    )
}

function parseUses(text: string): number {
  if (!/^\d{1,4}$/.test(text)) throw new InvalidArgumentError('Give a number from 1 to 1000.')
  return Number(text)
}
