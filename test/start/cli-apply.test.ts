import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { AuditEvent, GatewayShare } from '@roost/api-types/rest'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { addCluster, addNode } from '../support/agents/fleet-rows.js'
import { useRoostCli } from '../support/programs/roost-cli.js'

const suite = await useRoostCli()
const { cli, database } = suite
let folder: string
let count = 0
/** A cluster and a gateway for each test. */
let prod: string
let gw: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'roost-apply-'))
  await writeFile(join(folder, 'password'), 'correct-horse-battery-staple\n')
})
beforeEach(async () => {
  count += 1
  prod = `prod-${count}`
  gw = `gw-${count}`
  const cluster = await addCluster(database, prod)
  await addNode(database, cluster, { hostname: gw, role: { create: { runsGateway: false } } })
})

const write = async (name: string, ...documents: readonly string[]) => {
  const path = join(folder, `${count}-${name}`)
  await writeFile(path, documents.map((text) => `${text.trim()}\n`).join('---\n'))
  return path
}
const gateway = () => `kind: node\nhostname: ${gw}\nnode_role: {runs_gateway: true}`
const bob = () => `kind: user\ncluster: ${prod}\nuser: bob\npassword_file: password`
const docs = (container = 'documents') =>
  `kind: share\nnode: ${gw}\nname: docs\nenabled: true\nobjectstore_container: ${container}`
const web = () => `set: web-${count}`
const apply = (path: string, ...args: readonly string[]) => cli('apply', '-f', path, '--yes', ...args)
const json = async <T>(...args: readonly string[]) => JSON.parse((await cli(...args, '-o', 'json')).stdout) as T

describe('roost apply', () => {
  it('makes what a file describes in the order of dependencies, as one group in the audit, and then nothing', async () => {
    const path = await write('all.yaml', web(), docs(), bob(), gateway(), `kind: cluster\nname: new-${count}`)
    const dry = await apply(path, '--dry-run')
    expect([dry.code, dry.stderr]).toEqual([0, ''])
    expect(dry.stdout).toMatch(
      new RegExp(
        `^create cluster new-${count}\nchange node ${gw}\n  node_role.runs_gateway: false -> true\ncreate user ${prod}/bob\n`,
      ),
    )
    expect(dry.stdout).toMatch(/3 to create, 1 to change, 0 to remove. Nothing was changed.\n$/)
    expect(dry.stdout).not.toContain('correct-horse')
    expect(await json('share', 'list', '--node', gw)).toEqual([])
    const { code, stdout, stderr } = await apply(path)
    expect([code, stderr]).toEqual([0, ''])
    const [, group = ''] = /4 changes made; "roost audit list --request-id (\S+)" shows them/.exec(stdout) ?? []
    const events = await json<readonly AuditEvent[]>('audit', 'list', '--request-id', group)
    expect(events.map(({ action, resource }) => `${action} ${resource}`)).toEqual([
      'create clusters',
      'change nodes',
      'create users',
      'create gateway_shares',
    ])
    expect(await json('share', 'show', `${gw}/docs`)).toMatchObject({ set: `web-${count}`, enabled: true })
    expect((await apply(path)).stdout).toBe('Nothing to change.\n')
  })

  it('changes only the fields that differ, and shows them before and after', async () => {
    await apply(await write('first.yaml', gateway(), docs()))
    const { stdout } = await apply(await write('second.yaml', docs('archive')))
    expect(stdout).toMatch(
      new RegExp(
        `^change share ${gw}/docs \\(nfs\\)\n  objectstore_container: "documents" -> "archive"\n1 change made`,
      ),
    )
    expect(await json('share', 'show', `${gw}/docs`)).toMatchObject({ objectstore_container: 'archive', enabled: true })
  })

  it('accepts what -o yaml prints, and finds nothing to change', async () => {
    await apply(await write('all.yaml', web(), gateway(), bob(), docs()))
    const printed = [
      await cli('node', 'show', gw, '-o', 'yaml'),
      await cli('user', 'show', `${prod}/bob`, '-o', 'yaml'),
      await cli('share', 'show', `${gw}/docs`, '-o', 'yaml'),
      await cli('cluster', 'list', '-o', 'yaml'),
    ].map(({ stdout }) => stdout)
    expect(printed.join('')).not.toContain('password')
    expect((await apply(await write('printed.yaml', ...printed))).stdout).toBe('Nothing to change.\n')
    await cli('share', 'remove', `${gw}/docs`)
    expect((await apply(await write('printed.yaml', ...printed))).code).toBe(0)
    expect((await cli('share', 'show', `${gw}/docs`, '-o', 'yaml')).stdout).toBe(printed[2])
  })

  it('removes with --prune only what its set has made', async () => {
    await apply(await write('all.yaml', web(), gateway(), bob(), docs()))
    await cli('share', 'add', 'by-hand', '--node', gw, '--container', 'other')
    await apply(await write('other.yaml', `set: other-${count}`, docs().replace('docs', 'of-other')))
    const path = await write('less.yaml', web(), bob(), docs().replace('docs', 'by-hand'))
    const { code, stdout } = await apply(path, '--prune')
    expect([code, stdout]).toEqual([0, expect.stringContaining(`remove share ${gw}/docs (nfs)\n`)])
    expect(stdout).toContain(`change share ${gw}/by-hand (nfs)\n`)
    const names = async () =>
      (await json<readonly GatewayShare[]>('share', 'list', '--node', gw)).map(({ name, set }) => [name, set])
    expect(await names()).toEqual([
      ['by-hand', undefined],
      ['of-other', `other-${count}`],
    ])
    expect((await apply(await write('empty.yaml', web()), '--prune')).stdout).toContain(`remove user ${prod}/bob\n`)
    expect((await names()).length).toBe(2)
    const unnamed = await apply(await write('unnamed.yaml', bob()), '--prune')
    expect([unnamed.code, unnamed.stderr]).toEqual([
      2,
      expect.stringContaining('--prune needs a file that names its set'),
    ])
  })

  it('refuses two files with one set, and a record of another set', async () => {
    const one = await write('one.yaml', web(), gateway(), docs())
    const two = await write('two.yaml', web(), bob())
    const both = await cli('apply', '-f', one, '-f', two, '--yes')
    expect([both.code, both.stderr]).toEqual([2, expect.stringContaining(`Several files name the set 'web-${count}'`)])
    expect((await apply(one)).code).toBe(0)
    const stolen = await apply(await write('stolen.yaml', `set: other-${count}`, docs('archive')))
    expect([stolen.code, stolen.stderr]).toEqual([4, expect.stringContaining(`belongs to the set 'web-${count}'`)])
    await cli('share', 'set', `${gw}/docs`, '--set', 'null')
    expect((await apply(await write('free.yaml', `set: other-${count}`, docs('archive')))).code).toBe(0)
  })

  it('reports every fault with its line, and changes nothing', async () => {
    const path = await write(
      'faulty.yaml',
      bob().replace('bob', 'ann'),
      docs(),
      `${bob()}\nenabled: maybe`,
      'kind: pool\nname: x',
      `${docs()}\ncifs_guest_ok: true\nread_only: yes`,
    )
    const { code, stderr } = await apply(path)
    expect(code).toBe(2)
    expect(stderr).toContain(
      `${path}:18: kind: Select cluster, node, user, share, alert_rule, alert_metric_rule or alert_receiver.`,
    )
    expect(stderr).toContain('Unrecognized key: "read_only"')
    const checked = await apply(
      await write('checked.yaml', bob().replace('bob', 'ann'), `${bob()}\nenabled: maybe`, docs()),
    )
    expect([checked.code, checked.stderr]).toEqual([2, expect.stringMatching(/create user .*\/bob: .*enabled/)])
    expect(checked.stderr).toContain('This node is not a gateway')
    expect(checked.stderr).toMatch(/\nNothing was changed\.\n$/)
    expect(await json('user', 'list', '--cluster', prod)).toEqual([])
    const wrong = await apply(await write('wrong.yaml', `${docs()}\ncifs_guest_ok: true`))
    expect(wrong.stderr).toContain('cifs_guest_ok: Leave it out. It is a setting of cifs')
    const twice = await apply(await write('twice.yaml', bob(), bob()))
    expect(twice.stderr).toMatch(/user .*\/bob is also described at .*twice\.yaml:1\./)
  })

  it('says after a failure what was done and what was not, and goes on when it is run again', async () => {
    // The share needs the role that the same file grants, so that the server cannot check it before.
    const files = [
      gateway(),
      docs().replace('docs', 'a'),
      docs('a/b').replace('docs', 'b'),
      docs().replace('docs', 'c'),
    ]
    const { code, stderr } = await apply(await write('half.yaml', ...files))
    expect(code).toBe(5)
    expect(stderr).toMatch(new RegExp(`could not create share ${gw}/b \\(nfs\\): .*container name`))
    expect(stderr).toContain(`done: change node ${gw}, create share ${gw}/a (nfs); "roost audit list`)
    expect(stderr).toContain(`not done: create share ${gw}/b (nfs), create share ${gw}/c (nfs)`)
    const again = await apply(await write('half.yaml', ...files.map((text) => text.replace('a/b', 'ab'))))
    expect([again.code, again.stdout]).toEqual([0, expect.stringMatching(/^create share .*\/b /)])
    expect(again.stdout).toContain('2 changes made')
  })

  it('asks for --yes without a terminal, and prints the plan as JSON', async () => {
    const path = await write('ask.yaml', bob())
    const asked = await cli('apply', '-f', path)
    expect([asked.code, asked.stderr]).toEqual([2, expect.stringContaining('Pass --yes')])
    const { stdout } = await cli('apply', '-f', path, '--dry-run', '-o', 'json')
    expect(JSON.parse(stdout)).toMatchObject([
      { state: 'planned', step: { action: 'create', kind: 'user', name: `${prod}/bob` } },
    ])
  })

  it('never approves a role because its node was printed and applied', async () => {
    const cluster = await database.prisma.cluster.findFirstOrThrow({ where: { name: prod } })
    const waits = `waits-${count}`
    await addNode(database, cluster.id, { hostname: waits, role: { create: { runsGateway: true } } })
    await database.prisma.node.update({ where: { id: (await nodeOf(waits)).id }, data: { rolesGranted: [] } })
    const { stdout } = await cli('node', 'show', waits, '-o', 'yaml')
    expect(stdout).not.toContain('runs_gateway')
    expect((await apply(await write('node.yaml', stdout))).stdout).toBe('Nothing to change.\n')
  })
})

const nodeOf = (hostname: string) => database.prisma.node.findFirstOrThrow({ where: { hostname } })
