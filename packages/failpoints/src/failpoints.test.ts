import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { parseFailpoints } from './armed.js'

/** Passes one failpoint three times, in a process of its own. */
function pass(points: string, conditions: readonly string[] = ['--conditions=failpoints']) {
  const program = `
    const { fp } = await import('@roost/failpoints')
    for (let time = 1; time <= 3; time++) { fp('cp.audit.beforeCommit'); console.log(time) }`
  const { PATH = '' } = process.env
  return spawnSync(process.execPath, [...conditions, '--input-type=module', '-e', program], {
    cwd: fileURLToPath(new URL('..', import.meta.url)), // the package may import itself by its name
    env: { PATH, FP: points },
    encoding: 'utf8',
  })
}

describe('a failpoint', () => {
  it('does nothing in a program as it is released, whatever FP says', () => {
    expect(pass('cp.audit.beforeCommit=exit', [])).toMatchObject({ status: 0, stdout: '1\n2\n3\n', stderr: '' })
  })

  it('does nothing that FP does not name', () => {
    expect(pass('agent.hello.beforeSend=exit')).toMatchObject({ status: 0, stdout: '1\n2\n3\n', stderr: '' })
  })

  it('ends the process as kill -9 does, the first time or the one that is asked for', () => {
    expect(pass('cp.audit.beforeCommit=exit')).toMatchObject({ signal: 'SIGKILL', stdout: '' })
    expect(pass('cp.audit.beforeCommit=exit@3')).toMatchObject({ signal: 'SIGKILL', stdout: '1\n2\n' })
  })

  it('throws', () => {
    const { status, stderr } = pass('cp.audit.beforeCommit=throw')
    expect(status).toBe(1)
    expect(stderr).toContain('Error: failpoint cp.audit.beforeCommit')
  })

  it('holds everything up for a while', () => {
    const since = performance.now()
    expect(pass('agent.hello.beforeSend=throw;cp.audit.beforeCommit=sleep:300@2')).toMatchObject({
      stdout: '1\n2\n3\n',
    })
    expect(performance.now() - since).toBeGreaterThan(300)
  })
})

it.each(['cp.audit.beforeComit=exit', 'cp.audit.beforeCommit', 'cp.audit.beforeCommit=kill', '=exit'])(
  'refuses %s instead of arming nothing',
  (points) => {
    expect(() => parseFailpoints(points)).toThrow(`FP has no failpoint: ${points}`)
  },
)
