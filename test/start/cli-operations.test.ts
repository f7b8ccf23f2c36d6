import { describe, expect, it } from 'vitest'
import { openApiContract } from '../support/http/openapi-contract.js'
import { everyCommand, hasOption, leavesOf, pathOf } from '../support/programs/command-tree.js'
import { useRoostCli } from '../support/programs/roost-cli.js'

const suite = await useRoostCli()

/** The commands of each operation, by its method and path: below /api/v1/, or from the root. */
const commands: Readonly<Record<string, string | readonly string[]>> = {
  'GET search/': 'search',
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
  'GET clusters/{id}/pending/': 'deploy pending',
  'GET clusters/{id}/containers/': 'cluster containers',
  'GET clusters/{id}/storage/': 'cluster storage',
  'POST clusters/{id}/storage/': ['cluster set-storage', 'apply'],
  'DELETE clusters/{id}/storage/': 'cluster unset-storage',
  'GET clusters/{id}/identity/': 'cluster identity',
  'POST clusters/{id}/identity/': ['cluster set-identity', 'apply'],
  'DELETE clusters/{id}/identity/': 'cluster unset-identity',
  'GET clusters/{id}/metrics/list/': 'metrics list',
  'GET clusters/{id}/metrics/poll/': 'metrics show',
  'GET clusters/{id}/metrics/across/': 'metrics show',
  'GET clusters/{id}/metrics/history/': 'metrics history',
  'GET clusters/{id}/metrics/across/history/': 'metrics history',
  'GET nodes/{id}/metrics/history/': 'metrics history',
  'GET nodes/': 'node list',
  'GET nodes/{id}/': 'node show',
  'PATCH nodes/{id}/': [
    'node set',
    'node enable',
    'node disable',
    'node approve',
    'node revoke',
    'node maintenance',
    'apply',
  ],
  'GET nodes/{id}/hardware/': 'node hardware',
  'GET nodes/{id}/generations/': 'node generations',
  'GET nodes/{id}/generations/diff/': 'node generations',
  'GET nodes/{id}/metrics/list/': 'metrics list',
  'GET nodes/{id}/metrics/poll/': 'metrics show',
  'GET drift/': 'drift list',
  'GET nodes/{id}/drift/': 'drift show',
  'POST nodes/{id}/drift/': ['drift reapply', 'drift adopt'],
  'GET devices/': 'device list',
  'GET devices/{id}/': 'device show',
  'DELETE devices/{id}/': 'device remove',
  'GET storage_policies/': 'policy list',
  'GET storage_policies/{id}/': 'policy show',
  'GET users/': 'user list',
  'POST users/': ['user add', 'apply'],
  'GET users/{id}/': 'user show',
  'PATCH users/{id}/': ['user set', 'user enable', 'user disable', 'apply'],
  'DELETE users/{id}/': ['user remove', 'apply'],
  'GET gateway_shares/': 'share list',
  'POST gateway_shares/': ['share add', 'apply'],
  'GET gateway_shares/{id}/': 'share show',
  'PATCH gateway_shares/{id}/': ['share set', 'share enable', 'share disable', 'apply'],
  'DELETE gateway_shares/{id}/': ['share remove', 'apply'],
  'GET gateway_shares/{id}/sessions/': 'share sessions',
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
  'GET alert_metric_rules/': 'alert metric-rule list',
  'POST alert_metric_rules/': 'alert metric-rule add',
  'GET alert_metric_rules/{id}/': 'alert metric-rule show',
  'PATCH alert_metric_rules/{id}/': ['alert metric-rule set', 'alert metric-rule enable', 'alert metric-rule disable'],
  'DELETE alert_metric_rules/{id}/': 'alert metric-rule remove',
  'GET alert_rules/': 'alert rule list',
  'POST alert_rules/': 'alert rule add',
  'GET alert_rules/{id}/': 'alert rule show',
  'PATCH alert_rules/{id}/': ['alert rule set', 'alert rule enable', 'alert rule disable'],
  'DELETE alert_rules/{id}/': 'alert rule remove',
  'GET alert_silences/': 'alert silence list',
  'POST alert_silences/': 'alert silence add',
  'GET alert_silences/{id}/': 'alert silence list',
  'PATCH alert_silences/{id}/': 'alert silence extend',
  'DELETE alert_silences/{id}/': 'alert silence end',
  'GET alert_receivers/': 'alert receiver list',
  'POST alert_receivers/': 'alert receiver add',
  'GET alert_receivers/{id}/': 'alert receiver show',
  'PATCH alert_receivers/{id}/': ['alert receiver set', 'alert receiver enable', 'alert receiver disable'],
  'DELETE alert_receivers/{id}/': 'alert receiver remove',
  'POST alert_receivers/{id}/test/': 'alert receiver test',
  'GET alert_deliveries/': 'alert delivery list',
  'GET alert_deliveries/{id}/': 'alert delivery show',
  'GET users/{id}/s3_credentials/': 'user s3 list',
  'POST users/{id}/s3_credentials/': 'user s3 add',
  'DELETE users/{id}/s3_credentials/{access_key}/': 'user s3 remove',
  'GET sessions/': 'session list',
  'DELETE sessions/{id}/': 'session end',
  'GET clusters/{id}/adoptable_users/': 'user adoptable',
  'POST clusters/{id}/adoptable_users/': 'user adopt',
  'GET system/': 'system',
  'GET audit_events/': 'audit list',
  'GET audit_events/{id}/': 'audit show',
  'GET clusters/{id}/utilization/series/': 'usage series',
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
  [/^GET clusters\/\{id\}\/summary\/$/, 'adds up for pages what node list, device list and health have'],
  [/^GET sessions\/\{id\}\/$/, 'session list has all fields of a session'],
  [/^GET (?:nodes|devices)\/facets\/$/, 'counts for the buttons of pages: lists have the filters'],
  [/^(?:GET|POST|PATCH|DELETE) views\//, 'are screens of the console'],
  [/^(?:GET|PATCH) preferences\/$/, 'is how the console is displayed'],
  [/^GET events\/$/, 'is for programs that follow changes; lists have --watch'],
  [
    /^POST gateway_shares\/(?:\{id\}\/)?preview\/$/,
    'is for forms, as one types: deploy --plan-only shows what is stored',
  ],
  [/^PATCH nodes\/$/, 'changes several nodes at once for programs'],
  [/^GET \/(?:api)?$/, 'is a page for browsers, and where clients without a path begin'],
  [/^(?:GET|POST|DELETE) \/session$/, 'is the log-in of browsers: login stores a key, and session has their sessions'],
  [/^POST \/prometheus\/api\/v1\/read$/, 'is for Prometheus: metrics history has the values'],
  [/^GET \/(?:install\.sh|packages\/\{name\})$/, 'is for nodes: token create prints the line that calls them'],
  [
    /^GET \/(?:healthz|readyz|metrics|openapi\.json)$/,
    'is for probes, Prometheus and generators: status and doctor call them',
  ],
  [/^PATCH node\/\{id\}\/?$/, 'is an alias of PATCH nodes/{id}/'],
]

const commandsOf = (operation: string): readonly string[] => [commands[operation] ?? []].flat()

describe('the OpenAPI document', () => {
  it('has a command for each operation, or a reason why not', async () => {
    const { document } = await openApiContract(suite.roost)
    const operations = Object.entries(document.paths)
      .filter(([path]) => path !== '/api/v1/')
      .flatMap(([path, methods]) =>
        Object.keys(methods).map((method) => `${method.toUpperCase()} ${path.replace(/^\/api\/v1\//, '')}`),
      )
    const unknown = operations.filter(
      (each) => commands[each] === undefined && !withoutCommand.some(([pattern]) => pattern.test(each)),
    )
    expect(unknown).toEqual([])
    expect(Object.keys(commands).filter((each) => !operations.includes(each))).toEqual([])
    expect(withoutCommand.filter(([pattern]) => !operations.some((each) => pattern.test(each)))).toEqual([])
  })

  it('names commands that exist, and groups of commands nowhere', async () => {
    const names = leavesOf(await everyCommand()).map(pathOf)
    expect(
      Object.keys(commands)
        .flatMap(commandsOf)
        .filter((name) => !names.includes(name)),
    ).toEqual([])
  })

  it('has --dry-run on every command of a write', async () => {
    const program = await everyCommand()
    const writes = Object.keys(commands)
      .filter((operation) => !operation.startsWith('GET '))
      .flatMap(commandsOf)
    const without = leavesOf(program)
      .filter((leaf) => writes.includes(pathOf(leaf)) && !withoutDryRun.has(pathOf(leaf)))
      .filter((leaf) => !hasOption(leaf, '--dry-run'))
    expect(without.map(pathOf)).toEqual([])
  })

  it('names each command that has --dry-run, so that no write of a command is forgotten here', async () => {
    const named = new Set(Object.keys(commands).flatMap(commandsOf))
    const others = leavesOf(await everyCommand())
      .filter((leaf) => hasOption(leaf, '--dry-run'))
      .map(pathOf)
      .filter((path) => !named.has(path) && !notOfRest.has(path.split(' ', 1)[0] ?? ''))
    expect(others).toEqual([])
  })
})

/** A test of a receiver sends a message, and changes nothing here. */
const withoutDryRun: ReadonlySet<string> = new Set(['alert receiver test'])
/** Areas whose writes only tRPC has, and the door to every route. */
const notOfRest: ReadonlySet<string> = new Set(['cluster', 'node', 'token', 'operator', 'key', 'usage', 'api'])
