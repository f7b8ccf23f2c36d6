import { readdirSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { assetPath } from './package.js'
import { runCommand } from './run-command.js'

const assets = readdirSync(assetPath(''))
const shellPrograms = assets.filter((name) => name.endsWith('.sh'))
const pythonPrograms = assets.filter((name) => name.endsWith('.py'))
/** `test/system/unit-files.test.ts` checks them. */
const dropIns = assets.filter((name) => name.endsWith('.conf'))
const parse = 'import ast, sys; ast.parse(open(sys.argv[1]).read())'

const run = (file: string, ...args: readonly string[]) => runCommand(file, args, { deadlineMs: 60_000 })
const accepted = { stdout: '', exitCode: 0 }

async function isInstalled(program: string): Promise<boolean> {
  return (await run(program, '--version')).exitCode === 0
}
const [hasShellcheck, hasPython] = await Promise.all(['shellcheck', 'python3'].map(isInstalled))

describe('the files that the agent ships', () => {
  it('are programs for shell and Python, and drop-ins of systemd, only', () => {
    expect([...shellPrograms, ...pythonPrograms, ...dropIns].toSorted()).toEqual(assets.toSorted())
    expect(assets).not.toEqual([])
  })

  it.each(shellPrograms)('%s is read by sh', async (name) => {
    expect(await run('sh', '-n', assetPath(name))).toMatchObject(accepted)
  })

  it.skipIf(!hasShellcheck).each(shellPrograms)('%s has no fault that shellcheck finds', async (name) => {
    expect(await run('shellcheck', assetPath(name))).toMatchObject(accepted)
  })

  it.skipIf(!hasPython).each(pythonPrograms)('%s is read by Python 3', async (name) => {
    expect(await run('python3', '-c', parse, assetPath(name))).toMatchObject(accepted)
  })
})
