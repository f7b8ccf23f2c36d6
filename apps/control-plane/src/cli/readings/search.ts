import type { SearchHit } from '@roost/api-types/rest'
import { maxHits } from '@roost/api-types/rpc'
import type { Command } from 'commander'
import { InvalidArgumentError } from 'commander'
import type { Config } from '../../config.js'
import { withApi } from '../client/api.js'
import { clusterNamesByUri } from '../records/fields.js'
import { isStructured, isTabular, print, printValue, withOutput } from '../terminal/output.js'
import type { OutputOptions, View } from '../terminal/output.js'
import type { Terminal } from '../terminal/terminal.js'

interface SearchFlags extends OutputOptions {
  readonly limit: number
}

/** Adds the command that finds records by a part of their names. */
export function addSearch(program: Command, config: () => Config, terminal: Terminal): void {
  withOutput(program.command('search <text>'))
    .description('Find nodes, devices, shares and users by a part of their names, addresses or serial numbers')
    .option('--limit <count>', `how many at the most, up to ${maxHits}`, countOf, 20)
    .action((text: string, { limit, ...options }: SearchFlags) =>
      withApi(config(), async (rpc) => {
        const found = await rpc.search.query({ q: text, limit })
        if (isStructured(options)) return printValue(terminal, found, options)
        const clusters = await clusterNamesByUri(rpc)
        await print(terminal, found.objects, viewOf(clusters), options)
        if (found.has_more && isTabular(options)) terminal.out.write('\nand more: search for a longer text\n')
      }),
    )
}

function viewOf(clusters: ReadonlyMap<string, string>): View<SearchHit> {
  return {
    columns: {
      RESOURCE: ({ resource }) => resource,
      ID: ({ resource_uri: uri }) => uri.split('/').at(-2),
      NAME: ({ name }) => name,
      DETAIL: ({ detail }) => detail,
      CLUSTER: ({ cluster }) => clusters.get(cluster),
    },
    name: ({ name }) => name,
  }
}

function countOf(text: string): number {
  const count = /^\d{1,3}$/.test(text) ? Number(text) : 0
  if (count >= 1 && count <= maxHits) return count
  throw new InvalidArgumentError(`Give a number from 1 to ${maxHits}.`)
}
