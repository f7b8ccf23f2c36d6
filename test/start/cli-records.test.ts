import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Explanations, GatewayShare, User } from '@roost/api-types/rest'
import { createProgram } from '@roost/control-plane/dist/cli/program.js'
import { beforeAll, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { addCluster, addNode } from '../support/agents/fleet-rows.js'
import { openApiContract } from '../support/http/openapi-contract.js'
import { useRoostCli } from '../support/programs/roost-cli.js'

const suite = await useRoostCli()
const { cli, database } = suite
let key: string

beforeAll(async () => {
  const cluster = await addCluster(database, 'prod')
  for (const hostname of ['gw-1', 'gw-2'])
    await addNode(database, cluster, { hostname, state: 'offline', role: { create: { runsGateway: true } } })
  key = join(await mkdtemp(join(tmpdir(), 'roost-key-')), 'key')
  await writeFile(key, 'correct-horse-battery-staple\n')
})

const json = async <T>(...args: readonly string[]): Promise<T> => {
  const { code, stdout, stderr } = await cli(...args, '-o', 'json')
  expect([code, stderr]).toEqual([0, ''])
  return JSON.parse(stdout) as T
}

describe('roost', () => {
  it('adds, changes, shows and removes shares, by the names of nodes', async () => {
    const made = await json<GatewayShare>(
      'share',
      'add',
      'docs',
      '--node',
      'gw-1',
      '--container',
      'documents',
      '--root-squash',
      'true',
    )
    expect(made).toMatchObject({
      name: 'docs',
      protocol: 'nfs',
      root_squash: true,
      enabled: false,
      cache_size_mb: null,
    })
    await json('share', 'add', 'docs', '--node', 'gw-2', '--container', 'documents')
    const ambiguous = await cli('share', 'enable', 'docs')
    expect([ambiguous.code, ambiguous.stderr]).toEqual([4, expect.stringMatching(/^roost: 2 shares are named 'docs'/)])
    expect(await json('share', 'enable', 'gw-2/docs')).toMatchObject({ enabled: true })
    expect(await json('share', 'set', 'gw-1/docs', '--cache-size-mb', '64')).toMatchObject({ cache_size_mb: 64 })
    expect((await cli('share', 'list', '--node', 'gw-1')).stdout).toMatch(
      /^ID +NAME +NODE +PROTOCOL .*\n\d+ +docs +gw-1 +nfs +false +documents +rw +all\n$/,
    )
    const document = parse((await cli('share', 'show', 'gw-1/docs', '-o', 'yaml')).stdout) as Record<string, unknown>
    expect(document).toMatchObject({ kind: 'share', node: 'gw-1', name: 'docs', cache_size_mb: 64 })
    expect(Object.keys(document)).not.toContain('id')
    expect((await cli('share', 'set', 'gw-1/docs', '--root-squash', 'yes')).code).toBe(2)
    expect((await cli('share', 'remove', String(made.id))).stdout).toBe('share docs removed\n')
  })

  it('adds, changes and removes users, whose password is read from a file', async () => {
    const made = await json<User>('user', 'add', 'bob', '--cluster', 'prod', '--password-file', key)
    expect(made).toMatchObject({ user: 'bob', enabled: true, is_superuser: false })
    expect(await json('user', 'disable', 'prod/bob')).toMatchObject({ enabled: false })
    expect((await cli('user', 'show', 'bob', '-o', 'yaml')).stdout).toBe(
      'kind: user\ncluster: prod\nuser: bob\nis_superuser: false\nenabled: false\n',
    )
    expect((await cli('user', 'remove', 'bob')).code).toBe(0)
    expect((await cli('user', 'show', 'bob')).code).toBe(3)
  })

  it('reads policies, capacity, health, metrics, usage and the audit', async () => {
    expect((await cli('node', 'disable', 'gw-1')).stdout).toMatch(/^node gw-1 \(\d+\) disabled\n$/)
    const changes = await json<readonly object[]>(
      'audit',
      'list',
      '--resource',
      'nodes',
      '--sort-by',
      '-id',
      '--limit',
      '1',
    )
    expect(changes).toMatchObject([{ action: 'change', changes: { enabled: [true, false] } }])
    expect(await json('policy', 'list', '--cluster', 'prod')).toEqual([])
    expect(await json('capacity', 'prod')).toEqual([])
    expect(await json('capacity', 'prod', '--from', '2026-11-01')).toEqual([])
    const [verdict] = (await json<Explanations>('explain', 'health', 'prod')).explained
    expect(verdict).toMatchObject({ name: 'verdict', rule: expect.stringMatching(/^ok: /) })
    expect((await cli('explain', 'health', 'prod')).stdout).toMatch(/^NUMBER +NODE.*\nverdict +gw-1 +.*yes/)
    expect(await json('explain', 'metrics', 'prod', 'load.shortterm')).toMatchObject({
      explained: [{ name: 'load.shortterm', values: { value: null } }],
    })
    expect(await json('health', 'prod')).toMatchObject({ rings_agree: true })
    expect(await json('metrics', 'list', '--node', 'gw-1')).toEqual([])
    expect((await cli('metrics', 'show', 'load.*')).code).toBe(2)
    expect(await json('usage', 'storage', '--cluster', 'prod', '--from', '2026-11-01')).toEqual([])
    expect(await json('usage', 'transfer', '--cluster', 'prod', '--from', '2026-11-01', '--total')).toEqual([])
  })
})

/** The command of each operation, by its method and path below /api/v1/. */
const commands: Readonly<Record<string, string>> = {
  'GET clusters/': 'cluster list',
  'GET clusters/{id}/capacity/list/': 'capacity',
  'GET clusters/{id}/capacity/forecast/': 'forecast',
  'GET clusters/{id}/capacity/history/': 'capacity',
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
  'GET users/{id}/s3_credentials/': 'user s3',
  'POST users/{id}/s3_credentials/': 'user s3',
  'DELETE users/{id}/s3_credentials/{access_key}/': 'user s3',
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
  [/^GET \w+\/schema\/$/, 'describes the fields to programs'],
  [/^GET \w+\/set\/\{ids\}\/$/, 'reads several records for programs; lists have filters'],
  [/^GET node_roles\//, 'node show has the roles'],
  [/^GET clusters\/\{id\}\/$/, 'cluster list has all fields of a cluster'],
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
    const { stdin, stdout, stderr } = process
    const style = { color: false, pager: null, quiet: false, hasJsonErrors: false }
    const terminal = { in: stdin, out: stdout, err: stderr, stopping: new AbortController().signal, style }
    const startServer = () => Promise.reject(new Error('not in this test'))
    const program = await createProgram({ terminal, version: '0', startServer, args: [] })
    const names = program.commands.flatMap((one) => [
      one.name(),
      ...one.commands.map((two) => `${one.name()} ${two.name()}`),
    ])
    expect(Object.values(commands).filter((name) => !names.includes(name))).toEqual([])
  })
})
