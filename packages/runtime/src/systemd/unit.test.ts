import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { parseAssignments, parseEnvironmentFile, readUnit } from './unit.js'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'roost-unit-'))
})
afterEach(() => rm(folder, { recursive: true }))

/** Makes a systemctl that prints this. */
async function systemctl(output: string): Promise<string> {
  const program = join(folder, 'systemctl')
  await writeFile(program, `#!/bin/sh\ncat <<'end'\n${output}\nend\n`)
  await chmod(program, 0o755)
  return program
}

describe('a service of systemd', () => {
  it('has its state and the variables of the unit and its files', async () => {
    await writeFile(
      join(folder, 'environment'),
      '# ours\nROOST_DATA_DIR="/srv/my roost"\n; no\nROOST_LISTEN=[::]:8443\n',
    )
    const program = await systemctl(
      `Result=exit-code\nEnvironment=MALLOC_ARENA_MAX=1 "TEXT=a b" ROOST_LISTEN=x\nEnvironmentFiles=${folder}/environment (ignore_errors=no)\nEnvironmentFiles=/nonexistent (ignore_errors=yes)\nLoadState=loaded\nActiveState=failed`,
    )
    expect(await readUnit('roost', { bootedPath: folder, program })).toEqual({
      state: 'failed',
      result: 'exit-code',
      variables: { MALLOC_ARENA_MAX: '1', TEXT: 'a b', ROOST_DATA_DIR: '/srv/my roost', ROOST_LISTEN: '[::]:8443' },
    })
  })

  it('is unknown without systemd, without the unit, and without systemctl', async () => {
    const program = await systemctl('LoadState=not-found\nActiveState=inactive')
    expect(await readUnit('roost', { bootedPath: folder, program })).toBeNull()
    expect(await readUnit('roost', { bootedPath: join(folder, 'none'), program })).toBeNull()
    expect(await readUnit('roost', { bootedPath: folder, program: join(folder, 'none') })).toBeNull()
  })
})

it('reads variables in quotes, with escapes and over several lines', () => {
  expect(parseEnvironmentFile(`A='x "y" $z'\nB="q\\"r"\nC=one\\\ntwo\n  D = no\nE=\n`)).toEqual({
    A: 'x "y" $z',
    B: 'q"r',
    C: 'onetwo',
    E: '',
  })
  expect(parseAssignments('A=1 "B=x \\"y\\"" C')).toEqual({ A: '1', B: 'x "y"' })
})
