import { execFile } from 'node:child_process'
import { mkdtemp, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { repository } from '../support/http/control-plane.js'
import { runToEnd } from '../support/programs/processes.js'

const run = promisify(execFile)
const programs = [
  { name: 'roost', file: 'apps/control-plane/bin/roost.js' },
  { name: 'roost-agent', file: 'apps/node-agent/bin/roost-agent.js' },
]
let folder: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'roost-programs-'))
})
afterAll(() => rm(folder, { recursive: true }))

describe.each(programs)('$name', ({ name, file }) => {
  it('runs from the top of the clone, from any directory and through a link', async () => {
    const link = join(folder, name)
    await symlink(join(repository, name), link)
    for (const program of [join(repository, name), link]) {
      const { code, stdout } = await runToEnd(program, ['--version'], { cwd: folder })
      expect(code).toBe(0)
      expect(stdout).toMatch(/^\d+\.\d+\.\d+\S*\n$/)
    }
  })

  it('says in a clone that is not built what to do', async () => {
    const clone = join(folder, `clone-of-${name}`)
    await run('git', ['-c', 'safe.directory=*', 'clone', '--quiet', repository, clone])
    expect(await runToEnd(join(clone, name), ['--version'])).toEqual({
      code: 1,
      stdout: '',
      stderr: `${name}: This clone is not built. Run "npm run setup" in it first.\n`,
    })
  })

  it('ends with one sentence on a Node that is too old', async () => {
    const older = `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.18.3' } })`
    const args = ['--import', `data:text/javascript,${encodeURIComponent(older)}`, join(repository, file), '--version']
    expect(await runToEnd(process.execPath, args)).toEqual({
      code: 1,
      stdout: '',
      stderr: 'Roost needs Node 20.19 or later, and this is Node 20.18.3. Node 24 is recommended.\n',
    })
  })
})
