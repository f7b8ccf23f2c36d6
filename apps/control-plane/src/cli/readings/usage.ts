import type { Command } from 'commander'
import type { Config } from '../../config.js'
import { findCluster, listAll, pick, withApi } from '../client/api.js'
import type { Rpc } from '../client/api.js'
import { print, withOutput } from '../terminal/output.js'
import type { OutputOptions, View } from '../terminal/output.js'
import type { Terminal } from '../terminal/terminal.js'
import { watched, withWatch } from '../terminal/watch.js'
import type { WatchOptions } from '../terminal/watch.js'

interface UsageFlags extends OutputOptions, WatchOptions {
  readonly cluster: string
  readonly from: string
  readonly to?: string
  readonly policy: string
  readonly account?: string
  readonly hourly?: boolean
  readonly total?: boolean
}

/** A row of storage or transfer: the columns are the fields that it has. */
type Row = Readonly<Record<string, string | number | boolean | undefined>>

const columnsOf = {
  storage: ['account', 'account_name', 'bytes_used', 'container_count', 'object_count', 'pct_complete', 'start', 'end'],
  transfer: ['account', 'account_name', 'bytes_in', 'bytes_out', 'req_count', 'pct_complete', 'start', 'end'],
} as const

/** Adds the commands that read the usage of accounts. */
export function addUsageReads(usage: Command, config: () => Config, terminal: Terminal): void {
  for (const kind of ['storage', 'transfer'] as const) {
    const command = withWatch(withOutput(usage.command(kind)))
      .description(
        kind === 'storage'
          ? 'Show the storage of accounts in one policy'
          : 'Show the transfer of accounts through proxies',
      )
      .requiredOption('--cluster <cluster>', 'cluster, by name or id')
      .requiredOption('--from <time>', 'start, such as 2026-11-01')
      .option('--to <time>', 'end (default: now)')
      .option('--account <account>', 'one account, such as AUTH_bob')
      .option('--hourly', 'with --account: one row for each hour')
      .option('--total', 'one row for all accounts')
    if (kind === 'storage') command.option('--policy <policy>', 'storage policy, by name or index', '0')
    command.action((flags: UsageFlags) =>
      watched(terminal, flags, () => withApi(config(), (rpc) => printUsage(terminal, rpc, kind, flags))),
    )
  }
}

async function printUsage(
  terminal: Terminal,
  rpc: Rpc,
  kind: keyof typeof columnsOf,
  flags: UsageFlags,
): Promise<void> {
  const { id } = await findCluster(rpc, flags.cluster)
  const range = { id, start: flags.from, ...(flags.to !== undefined && { end: flags.to }) }
  const rows: readonly object[] =
    kind === 'storage'
      ? await storageRows(rpc, { ...range, policy_idx: await policyIndex(rpc, id, flags.policy) }, flags)
      : await transferRows(rpc, range, flags)
  await print(terminal, rows as readonly Row[], viewOf(kind, rows as readonly Row[]), flags)
}

interface TransferRange {
  readonly id: number
  readonly start: string
  readonly end?: string
}

async function transferRows({ utilization: { transfer } }: Rpc, range: TransferRange, flags: UsageFlags) {
  const { account, hourly, total } = flags
  if (total === true) return (await transfer.total.query(range)).objects
  if (account === undefined) return listAll((page) => transfer.ofAccounts.query({ ...range, ...page }))
  if (hourly === true) return listAll((page) => transfer.detail.query({ ...range, account, ...page }))
  return (await transfer.ofAccount.query({ ...range, account })).objects
}

async function storageRows(
  { utilization: { storage } }: Rpc,
  range: TransferRange & { readonly policy_idx: number },
  { account, hourly, total }: UsageFlags,
) {
  if (total === true) return (await storage.total.query(range)).objects
  if (account === undefined) return listAll((page) => storage.ofAccounts.query({ ...range, ...page }))
  if (hourly === true) return listAll((page) => storage.detail.query({ ...range, account, ...page }))
  return (await storage.ofAccount.query({ ...range, account })).objects
}

async function policyIndex({ storagePolicies }: Rpc, cluster: number, text: string): Promise<number> {
  if (/^\d{1,5}$/.test(text)) return Number(text)
  const all = await listAll((range) => storagePolicies.list.query({ ...range, filters: { cluster } }))
  return pick('policy', text, all, ({ name }) => name).index
}

function viewOf(kind: keyof typeof columnsOf, rows: readonly Row[]): View<Row> {
  const names = columnsOf[kind].filter(
    (name) => !name.startsWith('account') || rows.some((row) => row[name] !== undefined),
  )
  const columns = names.map((name) => [name.toUpperCase().replaceAll('_', ' '), (row: Row) => row[name]] as const)
  return { columns: Object.fromEntries(columns), name: ({ account = 'total' }) => String(account) }
}
