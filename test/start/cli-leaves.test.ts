import { NodeHardware } from '@roost/api-types/rest'
import type { Node, Operator } from '@roost/api-types/rest'
import { beforeAll, describe, expect, it } from 'vitest'
import { addCluster, addNode } from '../support/agents/fleet-rows.js'
import { everyCommand, hasOption, leavesOf, pathOf } from '../support/programs/command-tree.js'
import type { Command } from '../support/programs/command-tree.js'
import { useRoostCli } from '../support/programs/roost-cli.js'

const { cli, database } = await useRoostCli()
let leaves: readonly Command[]

beforeAll(async () => {
  leaves = leavesOf(await everyCommand())
  const cluster = await addCluster(database, 'prod')
  const id = await addNode(database, cluster, { hostname: 'gw-1', role: { create: { runsGateway: true } } })
  const examples = NodeHardware.meta()?.examples as readonly unknown[] | undefined
  const { node: _node, ...example } = NodeHardware.parse(examples?.[0])
  const hardwareReport = { ...example, read_at: 1_795_201_200 }
  const problems = [{ code: 'mount_stuck', subject: '/srv/node/d1', message: 'It has not answered for 3 s.' }]
  const data = { hardwareReport, rolesGranted: [], state: 'online', problems }
  await database.prisma.node.update({ where: { id }, data })
})

type Exceptions = readonly (readonly [paths: RegExp, reason: string])[]

/** Commands without -o, each with its reason. */
const withoutOutput: Exceptions = [
  [/ remove$/, 'what it removes has no record any more'],
  [/^cluster unset-(?:storage|identity)$/, 'removes a login'],
  [/^(?:alert silence|session) end$/, 'removes a record'],
  [/^alert receiver test$/, 'sends a message and answers whether it arrived'],
  [/^packages add$/, 'copies files and prints their paths'],
  [/^(?:login|context use)$/, 'changes a file of this account'],
  [/^api$/, 'prints what the route answers'],
  [/^support-bundle$/, 'writes a file'],
  [/^local /, 'acts on the data directory of this machine'],
  [/^(?:completion|complete|man|help)$/, 'prints a text that is made for a shell or a person'],
]

/** Commands that read and have no --watch, each with its reason. */
const withoutWatch: Exceptions = [
  [/^user s3 list$/, 'asks Keystone each time'],
  [/^metrics list$/, 'has names, which do not change'],
  [/^(?:packages|context) list$/, 'reads files of this machine, which others do not change'],
  [/^drift show$/, 'prints diffs, which are longer than a screen'],
]

function without(option: string, exceptions: Exceptions, of: readonly Command[]) {
  const paths = of.filter((leaf) => !hasOption(leaf, option)).map(pathOf)
  return {
    unexplained: paths.filter((path) => !exceptions.some(([pattern]) => pattern.test(path))),
    unused: exceptions.filter(([pattern]) => !paths.some((path) => pattern.test(path))),
  }
}

describe('every command', () => {
  it('has -o, or a reason why not', () => {
    expect(leaves.length).toBeGreaterThan(100)
    expect(without('--output', withoutOutput, leaves)).toEqual({ unexplained: [], unused: [] })
  })

  it('has --watch if it lists or shows what changes, or a reason why not', () => {
    const others = ['status', 'health', 'forecast', 'capacity', 'usage storage', 'usage transfer']
    const reads = leaves.filter((leaf) => ['list', 'show'].includes(leaf.name()) || others.includes(pathOf(leaf)))
    expect(reads.length).toBeGreaterThan(30)
    expect(without('--watch', withoutWatch, reads)).toEqual({ unexplained: [], unused: [] })
  })
})

describe('commands that print more than rows', () => {
  const formats = async (...args: readonly string[]) => {
    const printed = new Map<string, string>()
    for (const format of ['table', 'csv', 'name', 'json']) {
      const { code, stdout, stderr } = await cli(...args, '-o', format)
      expect([format, code, stderr]).toEqual([format, 0, ''])
      printed.set(format, stdout)
    }
    expect(() => JSON.parse(printed.get('json') ?? '')).not.toThrow()
    return (format: string) => printed.get(format) ?? ''
  }

  it('have rows of the health: its problems, below the verdict in a table', async () => {
    const of = await formats('health', 'prod')
    expect(of('table')).toMatch(/^HEALTH +warn\nPROBLEMS +1\n[^]*\n\nSEVERITY +CHECK +NODE +SUBJECT +MESSAGE\n/)
    expect(of('csv')).toBe(
      'SEVERITY,CHECK,NODE,SUBJECT,MESSAGE\r\nwarning,mount_stuck,gw-1,/srv/node/d1,It has not answered for 3 s.\r\n',
    )
    expect(of('name')).toBe('mount_stuck gw-1 /srv/node/d1\n')
  })

  it('have a row of the forecast for each set of policies, and one of hardware for each value', async () => {
    const forecast = await formats('forecast', 'prod')
    expect(forecast('csv')).toMatch(/^POLICIES,FORECAST,USED %,GROWTH A DAY,DAYS UNTIL FULL,FIRST DEVICE FULL,/)
    const hardware = await formats('node', 'hardware', 'gw-1')
    expect(hardware('table')).toMatch(/^cpu +- +model +EPYC 7313P +-$/m)
    expect(hardware('csv')).toContain('disks,sda,serial,ZL2ABC12,\r\n')
    expect(hardware('csv')).toContain('memory_modules,,,,needs root\r\n')
    expect(hardware('name')).toMatch(/^disks\.sda\.serial$/m)
  })

  it('refuse rows of a plan before it is made', async () => {
    for (const format of ['csv', 'name']) {
      const { code, stdout, stderr } = await cli('deploy', 'shares', '--node', 'gw-1', '--plan-only', '-o', format)
      expect([code, stdout, stderr]).toEqual([
        2,
        '',
        `roost: There is no ${format} of this: it has no rows. Use -o json, yaml or jsonpath=PATH.\n`,
      ])
    }
    expect((await cli('job', 'list', '--all', '-o', 'json')).stdout).toBe('[]\n')
  })
})

describe('commands that change a record', () => {
  it('print a sentence, or the record with -o', async () => {
    expect((await cli('node', 'disable', 'gw-1')).stdout).toMatch(/^node gw-1 \(\d+\) disabled\n$/)
    const enabled = JSON.parse((await cli('node', 'enable', 'gw-1', '-o', 'json')).stdout) as Node
    expect(enabled).toMatchObject({ hostname: 'gw-1', enabled: true })
    const approved = JSON.parse((await cli('node', 'approve', 'gw-1', '-o', 'json')).stdout) as Node
    expect(approved.roles_granted).toEqual(['runs_gateway'])
    expect((await cli('node', 'set', 'gw-1', '--outward-ip', '192.0.2.7', '-o', 'name')).stdout).toBe('gw-1\n')
    expect((await cli('node', 'maintenance', 'gw-1', '--end', '-o', 'jsonpath=.maintenance_until')).stdout).toBe(
      'null\n',
    )
    expect((await cli('cluster', 'rename', 'prod', 'live', '-o', 'name')).stdout).toBe('live\n')
    expect((await cli('operator', 'add', 'alice')).code).toBe(0)
    const operator = JSON.parse(
      (await cli('operator', 'role', 'alice', '--role', 'admin', '-o', 'json')).stdout,
    ) as Operator
    expect(operator).toMatchObject({ name: 'alice', role: 'admin' })
    expect((await cli('operator', 'disable', 'alice')).stdout).toBe('operator alice disabled\n')
    const silence = await cli('alert', 'silence', 'add', '--for', '2h', '--code', 'DEVICE_FULL', '-o', 'name')
    expect(silence.stdout).toMatch(/^\d+\n$/)
    const extended = await cli('alert', 'silence', 'extend', silence.stdout.trim(), '--for', '3h', '-o', 'json')
    expect(JSON.parse(extended.stdout)).toMatchObject({ id: Number(silence.stdout) })
  })
})
