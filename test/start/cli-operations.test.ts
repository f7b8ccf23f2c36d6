import { createProgram } from '@roost/control-plane/dist/cli/program.js'
import { describe, expect, it } from 'vitest'
import { openApiContract } from '../support/http/openapi-contract.js'
import { useRoostCli } from '../support/programs/roost-cli.js'

const suite = await useRoostCli()

/** The command of each operation, by its method and path below /api/v1/. */
const commands: Readonly<Record<string, string>> = {
  'GET clusters/': 'cluster list',
  'GET clusters/{id}/capacity/list/': 'capacity',
  'GET clusters/{id}/capacity/forecast/': 'forecast',
  'GET clusters/{id}/capacity/history/': 'capacity',
  'GET clusters/{id}/capacity/fullness/': 'capacity',
  'GET clusters/{id}/capacity/explain/': 'explain capacity',
  'GET clusters/{id}/capacity/forecast/explain/': 'explain forecast',
  'GET clusters/{id}/health/explain/': 'explain health',
  'GET clusters/{id}/metrics/explain/': 'explain metrics',
  'GET clusters/{id}/health/': 'health',
  'GET clusters/{id}/storage/': 'cluster storage',
  'POST clusters/{id}/storage/': 'cluster set-storage',
  'DELETE clusters/{id}/storage/': 'cluster unset-storage',
  'GET clusters/{id}/identity/': 'cluster identity',
  'POST clusters/{id}/identity/': 'cluster set-identity',
  'DELETE clusters/{id}/identity/': 'cluster unset-identity',
  'GET clusters/{id}/metrics/list/': 'metrics list',
  'GET clusters/{id}/metrics/poll/': 'metrics show',
  'GET clusters/{id}/metrics/across/': 'metrics show',
  'GET clusters/{id}/metrics/history/': 'metrics history',
  'GET clusters/{id}/metrics/across/history/': 'metrics history',
  'GET nodes/{id}/metrics/history/': 'metrics history',
  'GET nodes/': 'node list',
  'GET nodes/{id}/': 'node show',
  'PATCH nodes/{id}/': 'node set',
  'GET nodes/{id}/hardware/': 'node hardware',
  'GET nodes/{id}/metrics/list/': 'metrics list',
  'GET nodes/{id}/metrics/poll/': 'metrics show',
  'GET nodes/{id}/drift/': 'drift show',
  'POST nodes/{id}/drift/': 'drift reapply',
  'GET devices/': 'device list',
  'GET devices/{id}/': 'device show',
  'DELETE devices/{id}/': 'device remove',
  'GET storage_policies/': 'policy list',
  'GET storage_policies/{id}/': 'policy show',
  'GET users/': 'user list',
  'POST users/': 'user add',
  'GET users/{id}/': 'user show',
  'PATCH users/{id}/': 'user set',
  'DELETE users/{id}/': 'user remove',
  'GET gateway_shares/': 'share list',
  'POST gateway_shares/': 'share add',
  'GET gateway_shares/{id}/': 'share show',
  'PATCH gateway_shares/{id}/': 'share set',
  'DELETE gateway_shares/{id}/': 'share remove',
  'GET gateway_shares/{id}/uploads/': 'share uploads',
  'POST gateway_shares/{id}/uploads/': 'share remove-leftovers',
  'GET gateway_deployments/': 'job list',
  'POST gateway_deployments/': 'deploy shares',
  'GET gateway_deployments/{id}/': 'job show',
  'POST gateway_deployments/{id}/cancel/': 'job cancel',
  'GET user_db_deployments/': 'job list',
  'POST user_db_deployments/': 'deploy users',
  'GET user_db_deployments/{id}/': 'job show',
  'POST user_db_deployments/{id}/cancel/': 'job cancel',
  'POST gateway_deployments/{id}/confirm/': 'job confirm',
  'POST user_db_deployments/{id}/confirm/': 'job confirm',
  'GET agent_upgrades/': 'upgrade list',
  'POST agent_upgrades/': 'node upgrade',
  'GET agent_upgrades/{id}/': 'upgrade show',
  'POST agent_upgrades/{id}/cancel/': 'upgrade cancel',
  'GET alerts/': 'alert list',
  'GET alerts/{id}/': 'alert show',
  'PATCH alerts/{id}/': 'alert ack',
  'GET alert_metric_rules/': 'alert metric-rule',
  'POST alert_metric_rules/': 'alert metric-rule',
  'GET alert_metric_rules/{id}/': 'alert metric-rule',
  'PATCH alert_metric_rules/{id}/': 'alert metric-rule',
  'DELETE alert_metric_rules/{id}/': 'alert metric-rule',
  'GET alert_rules/': 'alert rule',
  'POST alert_rules/': 'alert rule',
  'GET alert_rules/{id}/': 'alert rule',
  'PATCH alert_rules/{id}/': 'alert rule',
  'DELETE alert_rules/{id}/': 'alert rule',
  'GET alert_silences/': 'alert silence',
  'POST alert_silences/': 'alert silence',
  'GET alert_silences/{id}/': 'alert silence',
  'PATCH alert_silences/{id}/': 'alert silence',
  'DELETE alert_silences/{id}/': 'alert silence',
  'GET alert_receivers/': 'alert receiver',
  'POST alert_receivers/': 'alert receiver',
  'GET alert_receivers/{id}/': 'alert receiver',
  'PATCH alert_receivers/{id}/': 'alert receiver',
  'DELETE alert_receivers/{id}/': 'alert receiver',
  'POST alert_receivers/{id}/test/': 'alert receiver',
  'GET alert_deliveries/': 'alert delivery',
  'GET alert_deliveries/{id}/': 'alert delivery',
  'GET users/{id}/s3_credentials/': 'user s3',
  'POST users/{id}/s3_credentials/': 'user s3',
  'DELETE users/{id}/s3_credentials/{access_key}/': 'user s3',
  'GET sessions/': 'session list',
  'DELETE sessions/{id}/': 'session end',
  'GET clusters/{id}/adoptable_users/': 'user adoptable',
  'POST clusters/{id}/adoptable_users/': 'user adopt',
  'GET audit_events/': 'audit list',
  'GET audit_events/{id}/': 'audit show',
  'GET clusters/{id}/utilization/storage/{policy_idx}/': 'usage storage',
  'GET clusters/{id}/utilization/storage/{policy_idx}/total/': 'usage storage',
  'GET clusters/{id}/utilization/storage/{policy_idx}/{account}/': 'usage storage',
  'GET clusters/{id}/utilization/storage/{policy_idx}/{account}/detail/': 'usage storage',
  'GET clusters/{id}/utilization/transfer/': 'usage transfer',
  'GET clusters/{id}/utilization/transfer/total/': 'usage transfer',
  'GET clusters/{id}/utilization/transfer/{account}/': 'usage transfer',
  'GET clusters/{id}/utilization/transfer/{account}/detail/': 'usage transfer',
}

/** Operations that only `roost api` calls, each with its reason. */
const withoutCommand: readonly (readonly [operations: RegExp, reason: string])[] = [
  [/^GET \w+\/schema\/$/, 'describes the fields: explain fields prints them'],
  [/^GET \w+\/set\/\{ids\}\/$/, 'reads several records for programs; lists have filters'],
  [/^GET node_roles\//, 'node show has the roles'],
  [/^GET clusters\/\{id\}\/$/, 'cluster list has all fields of a cluster'],
  [/^GET nodes\/metrics\/sparklines\/$/, 'draws the small charts of lists: metrics history has the values of one node'],
  [/^GET sessions\/\{id\}\/$/, 'session list has all fields of a session'],
  [/^GET events\/$/, 'is for programs that follow changes; lists have --watch'],
  [/^PATCH nodes\/$/, 'changes several nodes at once for programs'],
  [/^PATCH node\/\{id\}\/?$/, 'is an alias of PATCH nodes/{id}/'],
]

describe('the OpenAPI document', () => {
  it('has a command for each operation, or a reason why not', async () => {
    const { document } = await openApiContract(suite.roost)
    const operations = Object.entries(document.paths)
      .filter(([path]) => path.startsWith('/api/v1/') && path !== '/api/v1/')
      .flatMap(([path, methods]) =>
        Object.keys(methods).map((method) => `${method.toUpperCase()} ${path.slice('/api/v1/'.length)}`),
      )
    const unknown = operations.filter(
      (each) => commands[each] === undefined && !withoutCommand.some(([pattern]) => pattern.test(each)),
    )
    expect(unknown).toEqual([])
    expect(Object.keys(commands).filter((each) => !operations.includes(each))).toEqual([])
    expect(withoutCommand.filter(([pattern]) => !operations.some((each) => pattern.test(each)))).toEqual([])
  })

  it('names commands that exist', async () => {
    const program = await everyCommand()
    const names = program.commands.flatMap((one) => [
      one.name(),
      ...one.commands.map((two) => `${one.name()} ${two.name()}`),
    ])
    expect(Object.values(commands).filter((name) => !names.includes(name))).toEqual([])
  })

  it('has --dry-run on the command of every write', async () => {
    const program = await everyCommand()
    const writes = Object.entries(commands).filter(([operation]) => !operation.startsWith('GET '))
    const leaves = writes
      .flatMap(([, name]) => leavesOf(commandAt(program, name)))
      // A test of a receiver sends a message and changes nothing here.
      .filter((one) => !['list', 'show', 'test'].includes(one.name()))
    expect(leaves.length).toBeGreaterThanOrEqual(writes.length)
    const without = leaves.filter(({ options }) => !options.some(({ long }) => long === '--dry-run'))
    expect(without.map((one) => one.name())).toEqual([])
  })
})

type Command = Awaited<ReturnType<typeof createProgram>>

async function everyCommand(): Promise<Command> {
  const { stdin, stdout, stderr } = process
  const style = { color: false, pager: null, quiet: false, hasJsonErrors: false, isDryRun: false }
  const terminal = { in: stdin, out: stdout, err: stderr, stopping: new AbortController().signal, style }
  const startServer = () => Promise.reject(new Error('not in this test'))
  return createProgram({ terminal, version: '0', startServer, args: [] })
}

function commandAt(program: Command, path: string): Command {
  let command = program
  for (const name of path.split(' ')) command = command.commands.find((one) => one.name() === name) ?? command
  return command
}

function leavesOf(command: Command): readonly Command[] {
  return command.commands.length === 0 ? [command] : command.commands.flatMap(leavesOf)
}
