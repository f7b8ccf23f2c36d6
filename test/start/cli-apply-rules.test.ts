import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { AlertMetricRule, AlertRule } from '@roost/api-types/rest'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { addCluster } from '../support/agents/fleet-rows.js'
import { useRoostCli } from '../support/programs/roost-cli.js'

const { cli, database } = await useRoostCli()
const folder = await mkdtemp(join(tmpdir(), 'roost-apply-rules-'))
afterAll(() => rm(folder, { recursive: true, force: true }))
let count = 0
let prod: string

beforeEach(async () => {
  count += 1
  prod = `prod-${count}`
  await addCluster(database, prod)
  await database.prisma.alertRule.deleteMany()
  await database.prisma.alertMetricRule.deleteMany()
})

const write = async (name: string, ...documents: readonly string[]) => {
  const path = join(folder, `${count}-${name}`)
  await writeFile(path, documents.map((text) => `${text.trim()}\n`).join('---\n'))
  return path
}
const uneven = () => `kind: alert_rule\ncluster: ${prod}\ncode: POLICY_UNEVEN\nfor_seconds: 604800`
const full = 'kind: alert_rule\ncode: DEVICE_FULL\nseverity: critical'
const load = 'kind: alert_metric_rule\nname: load\nmetric: load.longterm\ncomparison: above\nthreshold: 64'
const apply = (path: string, ...args: readonly string[]) => cli('apply', '-f', path, '--yes', ...args)
const json = async <T>(...args: readonly string[]) => JSON.parse((await cli(...args, '-o', 'json')).stdout) as T
const rules = () => json<readonly AlertRule[]>('alert', 'rule', 'list')
const metricRules = () => json<readonly AlertMetricRule[]>('alert', 'metric-rule', 'list')

describe('roost apply of rules of alerts', () => {
  it('makes them, also in a cluster of the same file, and then nothing', async () => {
    const path = await write(
      'all.yaml',
      'set: rules',
      full,
      uneven().replace(prod, `new-${count}`),
      load,
      `kind: cluster\nname: new-${count}`,
    )
    const { code, stdout, stderr } = await apply(path)
    expect([code, stderr]).toEqual([0, ''])
    expect(stdout).toContain(
      `create cluster new-${count}\ncreate alert_rule DEVICE_FULL\n  severity: "critical"\n  set: "rules"\n` +
        `create alert_rule new-${count}/POLICY_UNEVEN\n  for_seconds: 604800\n  set: "rules"\ncreate alert_metric_rule load\n`,
    )
    expect(await rules()).toMatchObject([
      { code: 'DEVICE_FULL', cluster: null, severity: 'critical', for_seconds: null, set: 'rules' },
      { code: 'POLICY_UNEVEN', cluster: expect.any(String), severity: null, for_seconds: 604_800, set: 'rules' },
    ])
    expect(await metricRules()).toMatchObject([{ name: 'load', threshold: 64, for_seconds: 300, set: 'rules' }])
    expect((await apply(path)).stdout).toBe('Nothing to change.\n')
  })

  it('changes the rule of a cluster, and not the rule of the code for all', async () => {
    await apply(await write('one.yaml', uneven(), uneven().replace(`cluster: ${prod}\n`, ''), load))
    const below = `${load}\nend_threshold: 99`.replace('above', 'below')
    const { stdout } = await apply(await write('two.yaml', uneven().replace('604800', '86400'), below))
    expect(stdout).toContain(`change alert_rule ${prod}/POLICY_UNEVEN\n  for_seconds: 604800 -> 86400\n`)
    expect(stdout).toContain('change alert_metric_rule load\n  comparison: "above" -> "below"\n')
    expect(stdout).toContain('  end_threshold: null -> 99\n2 changes made')
    expect((await rules()).map((rule) => [rule.cluster === null, rule.for_seconds])).toEqual([
      [false, 86_400],
      [true, 604_800],
    ])
  })

  it('finds the rule for all clusters behind those of more clusters than a page has', async () => {
    for (let i = 0; i < 21; i++) {
      const clusterId = await addCluster(database, `many-${count}-${i}`)
      await database.prisma.alertRule.create({ data: { code: 'DEVICE_FULL', clusterId, severity: 'critical' } })
    }
    const path = await write('full.yaml', full)
    expect((await apply(path)).code).toBe(0)
    expect((await apply(path)).stdout).toBe('Nothing to change.\n')
  })

  it('accepts what -o yaml prints, and finds nothing to change', async () => {
    await apply(
      await write('all.yaml', 'set: rules', full, uneven(), `${load}\nend_threshold: 48.5\ncomment: "why: so"`),
    )
    const [printed, limits] = [
      (await cli('alert', 'rule', 'list', '-o', 'yaml')).stdout,
      (await cli('alert', 'metric-rule', 'list', '-o', 'yaml')).stdout,
    ]
    const path = await write('printed.yaml', printed, limits)
    expect((await apply(path)).stdout).toBe('Nothing to change.\n')
    await cli('alert', 'rule', 'remove', `${prod}/POLICY_UNEVEN`)
    await cli('alert', 'metric-rule', 'remove', 'load')
    expect((await apply(path)).stdout).toContain('2 changes made')
    expect((await cli('alert', 'metric-rule', 'list', '-o', 'yaml')).stdout).toBe(limits)
    expect((await cli('alert', 'rule', 'show', `${prod}/POLICY_UNEVEN`, '-o', 'yaml')).stdout).toMatch(
      new RegExp(`^kind: alert_rule\ncluster: ${prod}\ncode: POLICY_UNEVEN\n`),
    )
  })

  it('removes with --prune only what its set has made', async () => {
    await apply(await write('all.yaml', 'set: rules', full, uneven(), load))
    await apply(await write('other.yaml', 'set: other', full.replace('DEVICE_FULL', 'GATEWAY_DRIFT')))
    await cli('alert', 'rule', 'add', 'DEVICE_ERRORS', '--severity', 'critical')
    const { code, stdout } = await apply(await write('less.yaml', 'set: rules', full), '--prune')
    expect([code, stdout]).toEqual([0, expect.stringContaining(`remove alert_rule ${prod}/POLICY_UNEVEN\n`)])
    expect(stdout).toContain('remove alert_metric_rule load\n')
    expect((await rules()).map((rule) => [rule.code, rule.set])).toEqual([
      ['DEVICE_FULL', 'rules'],
      ['GATEWAY_DRIFT', 'other'],
      ['DEVICE_ERRORS', undefined],
    ])
    expect(await metricRules()).toEqual([])
  })

  it('refuses rules of another set, another cluster or level, and what the server refuses, and changes nothing', async () => {
    await apply(await write('all.yaml', 'set: rules', full, load))
    const stolen = await apply(await write('stolen.yaml', 'set: other', full))
    expect([stolen.code, stolen.stderr]).toEqual([4, expect.stringContaining('"roost alert rule set … --set null"')])
    const moved = await apply(await write('moved.yaml', `${load}\ncluster: ${prod}\nlevel: cluster`))
    expect(moved.stderr).toContain("A rule keeps its cluster and its level: 'load' has cluster: null and level: node.")
    const faulty = await apply(
      await write(
        'faulty.yaml',
        `${load}\nend_threshold: 65`,
        uneven().replace('POLICY_UNEVEN', 'NOTHING'),
        `kind: alert_rule\ncode: GATEWAY_DRIFT`,
      ),
    )
    expect(faulty.code).toBe(2)
    for (const sentence of ['must not be above the threshold', 'Unknown code', 'would change nothing'])
      expect(faulty.stderr).toContain(sentence)
    const nowhere = await apply(await write('nowhere.yaml', uneven().replace(prod, 'nowhere')))
    expect([nowhere.code, nowhere.stderr]).toEqual([3, expect.stringContaining("cluster 'nowhere' not found")])
    expect(await rules()).toHaveLength(1)
    expect(await metricRules()).toMatchObject([{ end_threshold: null }])
  })
})
