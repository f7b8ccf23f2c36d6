import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { AlertReceiver, Explanations, GatewayShare, User } from '@roost/api-types/rest'
import { beforeAll, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { addCluster, addNode } from '../support/agents/fleet-rows.js'
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

  it('changes nothing with --dry-run, and is refused as the change would be', async () => {
    const notice = 'Dry run: the server only checks this. Nothing is changed.\n'
    const add = ['user', 'add', 'carol', '--cluster', 'prod', '--password-file', key]
    expect(await cli(...add, '--dry-run')).toMatchObject({ code: 0, stderr: notice })
    expect((await cli('user', 'show', 'carol')).code).toBe(3)
    const { id } = await json<User>(...add)
    const refused = await cli(...add, '--dry-run')
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining("already has a user 'carol'")])
    for (const args of [
      ['user', 'disable', 'carol'],
      ['user', 'remove', 'carol'],
      ['node', 'disable', 'gw-2'],
      ['node', 'maintenance', 'gw-2', '--for', '2h'],
      ['cluster', 'rename', 'prod', 'other'],
      ['operator', 'add', 'reader'],
    ])
      expect(await cli(...args, '--dry-run')).toMatchObject({ code: 0, stderr: notice })
    expect((await cli('api', 'DELETE', `/users/${id}/`, '--dry-run')).code).toBe(0)
    expect(await json('user', 'show', 'prod/carol')).toMatchObject({ enabled: true })
    expect(await json('node', 'show', 'gw-2')).toMatchObject({ enabled: true, maintenance_until: null })
    expect((await cli('operator', 'list', '-o', 'name')).stdout).not.toContain('reader')
    expect((await cli('node', 'list', '--dry-run')).code).toBe(2)
  })

  it('adds, changes, tests and removes receivers of alerts, whose settings are read from a file', async () => {
    const settings = join(await mkdtemp(join(tmpdir(), 'roost-settings-')), 'on-call.yaml')
    await writeFile(settings, 'url: http://127.0.0.1:9/secret-path\n')
    const add = ['alert', 'receiver', 'add', 'on-call', '--kind', 'webhook', '--settings-file', settings]
    const made = await json<AlertReceiver>(...add, '--cluster', 'prod')
    expect(made).toMatchObject({ kind: 'webhook', target: 'http://127.0.0.1:9', least_severity: 'warning' })
    expect(JSON.stringify(made)).not.toContain('secret-path')
    const changed = await json('alert', 'receiver', 'set', 'on-call', '--least-severity', 'critical')
    expect(changed).toMatchObject({ least_severity: 'critical', enabled: true })
    expect(await json('alert', 'receiver', 'disable', String(made.id))).toMatchObject({ enabled: false })
    const tested = await cli('alert', 'receiver', 'test', 'on-call')
    expect([tested.code, tested.stderr]).toEqual([
      1,
      expect.stringMatching(/^roost: on-call did not accept the test: .*ROOST_ALERT_NETWORKS/),
    ])
    await writeFile(settings, '{url: secret-path')
    const faulty = await cli(...add)
    expect([faulty.code, faulty.stderr]).toEqual([
      2,
      `roost: The settings file ${settings} is neither YAML nor JSON.\n`,
    ])
    expect((await cli('alert', 'receiver', 'list')).stdout).toMatch(
      /on-call +webhook +http:\/\/127\.0\.0\.1:9 +critical +false/,
    )
    expect(await json('alert', 'delivery', 'list', '--state', 'waiting')).toEqual([])
    expect((await cli('alert', 'receiver', 'remove', 'on-call')).stdout).toBe('receiver on-call removed\n')
  })

  it('reads the audit, policies, capacity and what fields mean', async () => {
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
    expect(changes).toMatchObject([{ action: 'change', name: 'gw-1', changes: { enabled: [true, false] } }])
    expect(await json('audit', 'list', '--q', 'GW-', '--sort-by', '-id', '--limit', '1')).toEqual(changes)
    expect(await json('policy', 'list', '--cluster', 'prod')).toEqual([])
    expect(await json('capacity', 'prod')).toEqual([])
    expect(await json('capacity', 'prod', '--from', '2026-11-01')).toEqual([])
    expect(await json('capacity', 'prod', '--fullness')).toEqual([])
    expect((await cli('explain', 'fields', 'share', 'protocol')).stdout).toMatch(
      /^FIELD +TYPE.*\nprotocol +string +you /,
    )
    expect(await cli('explain', 'fields', 'shares', 'colour')).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('upload_delay'),
    })
    expect((await cli('explain', 'fields', 'lamp')).stderr).toContain('gateway_shares')
  })

  it('reads health, metrics and usage', async () => {
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
