import { execFile } from 'node:child_process'
import { chmod, mkdir, mkdtemp, readdir, rm, symlink } from 'node:fs/promises'
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

describe('npm start on Node 18', () => {
  it('ends with one sentence before anything is installed', async () => {
    const clone = join(folder, 'clone-on-node-18')
    await run('git', ['-c', 'safe.directory=*', 'clone', '--quiet', repository, clone])
    const args = ['18.20.8', 'npm', 'start', '--silent']
    const { code, stdout, stderr } = await runToEnd(join(repository, 'scripts/with-node.sh'), args, { cwd: clone })
    expect([code, stdout]).toEqual([1, ''])
    expect(stderr.replaceAll(/^npm warn .*\n/gim, '')).toBe(
      'Roost needs Node 20.19 or later, and this is Node 18.20.8. Node 24 is recommended.\n',
    )
    expect(await readdir(clone)).not.toContain('node_modules')
  })
})

describe('the first npm run setup', () => {
  it('names the registry that it cannot reach', async () => {
    const clone = join(folder, 'clone-without-network')
    await run('git', ['-c', 'safe.directory=*', 'clone', '--quiet', repository, clone])
    const env = {
      PATH: process.env['PATH'] ?? '',
      HOME: folder,
      npm_config_cache: join(folder, 'empty-cache'),
      npm_config_registry: 'http://127.0.0.1:1/',
    }
    const { code, stderr } = await runToEnd('npm', ['run', '-s', 'setup'], { cwd: clone, env })
    expect(code).toBe(1)
    expect(stderr).toMatch(
      /^Roost could not download pnpm from http:\/\/127\.0\.0\.1:1\/\. Connect this machine to the network, or set a proxy/,
    )
  })
})

describe.skipIf(process.getuid?.() !== 0)('roost-agent enroll by another account than root (run as root)', () => {
  it('says which account it needs', async () => {
    await mkdir(join(folder, 'of-root'))
    await chmod(folder, 0o755)
    const dataDir = join(folder, 'of-root/agent')
    const args = ['--data-dir', dataDir, 'enroll', '--server', 'https://127.0.0.1:1', '--token', 'x'.repeat(32)]
    const { code, stderr } = await runToEnd(join(repository, 'roost-agent'), args, { uid: 65_534, gid: 65_534 })
    expect(code).toBe(1)
    expect(stderr).toBe(
      `This account is not permitted to write ${dataDir} (EACCES).\nRun this command as root, or choose another directory with --data-dir.\n`,
    )
  })
})
