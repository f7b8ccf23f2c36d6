import { expect, it } from 'vitest'
import { addCluster } from '../support/agents/fleet-rows.js'
import { addLabNode } from '../support/gateway/deployment-lab.js'
import { offerPackage, upgradesOf } from '../support/gateway/upgrade-lab.js'
import { useRoostCli } from '../support/programs/roost-cli.js'

const server = await useRoostCli()
const { cli } = server

it('roost node upgrade needs a target and a package', async () => {
  expect(await cli('node', 'upgrade', '--yes')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('Give either a node or --cluster.'),
  })
  expect(await cli('node', 'upgrade', '--cluster', 'default', '--canary', '0')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('Use a whole number from 1 to 1000.'),
  })
})

it('roost node upgrade shows the plan, asks, and ends with the reason of a failure', async () => {
  await offerPackage(server.roost.dataDir, '9.0.0')
  const upgrade = ['node', 'upgrade', '--cluster', 'default', '--to', '9.0.0', '--wave', '50%']
  expect(await cli(...upgrade, '--plan-only', '-o', 'json')).toMatchObject({ code: 0, stdout: '[]\n' })
  expect(await cli(...upgrade)).toMatchObject({ code: 2, stderr: expect.stringContaining('Pass --yes') })
  expect(await cli(...upgrade, '--yes')).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^upgrade \d+ created\n[^]*The cluster has no enabled nodes\./),
  })
})

it('roost node upgrade --wait ends with code 7 while the upgrade runs on', async () => {
  await offerPackage(server.roost.dataDir, '9.0.0')
  const { database, roost } = server
  const cluster = await addCluster(database, 'slow')
  const node = await addLabNode(roost, database, cluster)
  let isDone = false
  await node.start({
    upgrades: upgradesOf(() =>
      isDone ? { state: 'installed', message: '' } : { state: 'downloading', message: '40 %' },
    ),
  })
  try {
    const upgrade = ['node', 'upgrade', '--cluster', 'slow', '--yes', '--wait']
    const late = await cli(...upgrade, '2s')
    expect([late.code, late.stderr]).toEqual([
      7,
      expect.stringMatching(
        /roost: Upgrade \d+ has not ended\. It runs on: "roost upgrade show \d+ --watch" follows it\.\n$/,
      ),
    ])
    expect(late.stderr).not.toContain('\u001B')
    expect((await cli(...upgrade, '2s')).code).toBe(4)
    const [, id = ''] = /Upgrade (\d+)/.exec(late.stderr) ?? []
    isDone = true
    await expect
      .poll(async () => JSON.parse((await cli('upgrade', 'show', id, '-o', 'json')).stdout).state, { timeout: 60_000 })
      .toBe('COMPLETED_SUCCESS')
    expect((await cli(...upgrade, '60s')).code).toBe(0)
    expect((await cli(...upgrade, 'soon')).code).toBe(2)
  } finally {
    await node.remove()
  }
})
