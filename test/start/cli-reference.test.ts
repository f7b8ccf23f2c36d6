import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { exitCodes } from '@roost/control-plane/dist/cli/terminal/exit-codes.js'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { addCluster, addDevice, addNode } from '../support/agents/fleet-rows.js'
import { controlPlaneEnv, roostProgram } from '../support/http/control-plane.js'
import { runToEnd } from '../support/programs/processes.js'
import { useRoostCli } from '../support/programs/roost-cli.js'

const suite = await useRoostCli()
const { cli, database } = suite
let bin: string

beforeAll(async () => {
  const cluster = await addCluster(database, 'prod')
  const ids = new Map<string, number>()
  for (const hostname of ['store-1', 'store-2', 'proxy-1'])
    ids.set(hostname, await addNode(database, cluster, { hostname }))
  for (const [hostname, name, uuid] of devices)
    await addDevice(database, cluster, ids.get(hostname) ?? 0, { name, fsUuid: uuid })
  bin = await mkdtemp(join(tmpdir(), 'roost-bin-'))
  const settings = join(bin, 'settings.yaml')
  await writeFile(settings, 'url: https://hooks.example/roost\n')
  await cli('operator', 'add', 'alice')
  await cli('alert', 'receiver', 'add', 'on-call', '--kind', 'webhook', '--settings-file', settings)
  await symlink(roostProgram, join(bin, 'roost'))
})
afterAll(() => rm(bin, { recursive: true }))

/** Two nodes have a device of one name. */
const devices = [
  ['store-1', 'sda', '11111111-0000-4000-8000-000000000001'],
  ['store-1', 'sdb', '77777777-0000-4000-8000-000000000001'],
  ['store-2', 'sdb', '77777777-0000-4000-8000-000000000002'],
] as const

const complete = async (...args: readonly string[]) => {
  const { code, stdout, stderr } = await cli('complete', '--', ...args)
  expect([code, stderr]).toEqual([0, ''])
  return stdout.split('\n').slice(0, -1)
}

describe('roost complete', () => {
  it.each([
    [['sh'], ['share']],
    [
      ['job', 'c'],
      ['cancel', 'confirm'],
    ],
    [['node', 'list', '--cl'], ['--cluster']],
    [
      ['share', 'list', '--output', ''],
      ['csv', 'json', 'name', 'table', 'wide', 'yaml'],
    ],
    [['share', 'list', '--cluster', 'p'], ['prod']],
    [
      ['node', 'show', 'store'],
      ['store-1', 'store-2'],
    ],
    [['device', 'show', 'sd'], ['sda']],
    [
      ['device', 'remove', '7'],
      [devices[1][2], devices[2][2]],
    ],
    [['operator', 'enable', 'al'], ['alice']],
    [['audit', 'list', '--operator', 'al'], ['alice']],
    [['alert', 'receiver', 'test', ''], ['on-call']],
    [
      ['help', 'e'],
      ['environment', 'exit-codes'],
    ],
    [['job', 'show', ''], []],
    [['no-such-command', '--x', ''], []],
  ])('offers for %j: %j', async (args, candidates) => {
    expect(await complete(...args)).toEqual(candidates)
  })

  it('is quiet without a control plane', async () => {
    const { code, stdout, stderr } = await runToEnd(
      process.execPath,
      [roostProgram, 'complete', '--', 'node', 'show', ''],
      {
        env: { ...controlPlaneEnv(join(bin, 'empty')), ROOST_URL: 'https://127.0.0.1:1' },
      },
    )
    expect([code, stdout, stderr]).toEqual([0, '', ''])
  })
})

it('the script of bash completes names', async () => {
  const script = `source <(roost completion bash)
    COMP_WORDS=(roost node show pro); COMP_CWORD=3; _roost; printf '%s\\n' "\${COMPREPLY[@]}"`
  const env = { ...controlPlaneEnv(suite.roost.dataDir), PATH: `${bin}:${process.env.PATH}` }
  expect(await runToEnd('bash', ['-c', script], { env })).toMatchObject({ code: 0, stdout: 'proxy-1\n', stderr: '' })
})

it('the manual page has every command with its options', async () => {
  const { code, stdout } = await cli('man')
  expect(code).toBe(0)
  for (const line of ['.SS roost deploy shares', '.SS roost share add <name>', '.B \\-\\-plan\\-only', '.SH NOTES'])
    expect(stdout).toContain(line)
  expect(stdout).not.toContain('roost complete ')
})

describe('roost help', () => {
  it('explains every exit code, and every variable that the programs read', async () => {
    const codes = await cli('help', 'exit-codes')
    expect([codes.code, codes.stderr]).toEqual([0, ''])
    expect([...codes.stdout.matchAll(/^ {2}(\d+) +\S/gm)].map(([, code]) => Number(code))).toEqual([
      0,
      ...Object.values(exitCodes),
    ])
    const { code, stdout } = await cli('help', 'environment')
    expect(code).toBe(0)
    const unknown = await runToEnd(process.execPath, [roostProgram, 'node', 'list'], {
      env: { ...controlPlaneEnv(bin), ROOST_NOTHING: '1' },
    })
    const known = /Known variables: (.*)\.$/m.exec(unknown.stderr)?.[1]?.split(', ') ?? []
    expect(known.length).toBeGreaterThan(20)
    for (const name of [...known, 'NO_COLOR', 'PAGER', 'TERM', 'XDG_CONFIG_HOME'])
      expect(stdout).toMatch(new RegExp(`^  ${name} +\\S`, 'm'))
  })

  it('shows the help of a command, and names the topics where there is neither', async () => {
    expect((await cli('help', 'node', 'upgrade')).stdout).toBe((await cli('node', 'upgrade', '--help')).stdout)
    expect((await cli('help')).stdout).toBe((await cli('--help')).stdout)
    const none = await cli('help', 'exit-code')
    expect([none.code, none.stderr]).toEqual([
      2,
      "roost: There is no command or topic 'exit-code'. Topics: exit-codes, environment.\n",
    ])
    expect((await cli('--help')).stdout).toContain('"roost help exit-codes" explains them')
  })
})

it.each([
  [['shrae', 'list'], 'share'],
  [['share', 'lst'], 'list'],
  [['node', 'list', '--satte', 'offline'], '--state'],
])('a mistake in %j is answered by what was likely intended', async (args, intended) => {
  const { code, stdout, stderr } = await cli(...args)
  expect([code, stdout, stderr]).toEqual([2, '', expect.stringContaining(`(Did you mean ${intended}?)`)])
})
