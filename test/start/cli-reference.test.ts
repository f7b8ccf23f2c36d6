import { mkdtemp, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { addCluster, addNode } from '../support/agents/fleet-rows.js'
import { controlPlaneEnv, roostProgram } from '../support/http/control-plane.js'
import { runToEnd } from '../support/programs/processes.js'
import { useRoostCli } from '../support/programs/roost-cli.js'

const suite = await useRoostCli()
const { cli, database } = suite
let bin: string

beforeAll(async () => {
  const cluster = await addCluster(database, 'prod')
  for (const hostname of ['store-1', 'store-2', 'proxy-1']) await addNode(database, cluster, { hostname })
  bin = await mkdtemp(join(tmpdir(), 'roost-bin-'))
  await symlink(roostProgram, join(bin, 'roost'))
})
afterAll(() => rm(bin, { recursive: true }))

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
