import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
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
  const folder = join(server.roost.dataDir, 'packages')
  const file = join(folder, 'roost-agent_9.0.0_amd64.deb')
  await mkdir(folder, { recursive: true })
  await writeFile(file, 'package')
  await writeFile(`${file}.sig`, `${'A'.repeat(86)}==`)
  const upgrade = ['node', 'upgrade', '--cluster', 'default', '--to', '9.0.0', '--wave', '50%']
  expect(await cli(...upgrade, '--plan-only', '-o', 'json')).toMatchObject({ code: 0, stdout: '[]\n' })
  expect(await cli(...upgrade)).toMatchObject({ code: 2, stderr: expect.stringContaining('Pass --yes') })
  expect(await cli(...upgrade, '--yes')).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^upgrade \d+ created\n[^]*The cluster has no enabled nodes\./),
  })
})
