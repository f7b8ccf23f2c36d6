import { existsSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { describeFailure, runCommand } from './run-command.js'

const plenty = { deadlineMs: 50_000 }

describe('runCommand', () => {
  it('gives output and exit code', async () => {
    const result = await runCommand('sh', ['-c', 'echo out; echo err >&2; exit 3'], plenty)
    expect(result).toMatchObject({ outcome: 'exited', exitCode: 3, stdout: 'out\n', stderr: 'err\n' })
    expect(describeFailure(result)).toBe('err')
  })

  it('passes arguments on without a shell', async () => {
    const result = await runCommand('printf', ['%s|', '$HOME', 'a b', ';ls', '*'], plenty)
    expect(result.stdout).toBe('$HOME|a b|;ls|*|')
  })

  it('gives the command none of the variables of the agent', async () => {
    process.env.ROOST_SECRET_FOR_TEST = 'canary'
    const result = await runCommand('env', [], plenty)
    delete process.env.ROOST_SECRET_FOR_TEST
    expect(result.stdout).not.toContain('canary')
    expect(result.stdout).toContain('LC_ALL=C')
  })

  it('kills a command at its deadline, with what that started', async () => {
    const result = await runCommand('sh', ['-c', 'sleep 60 & echo $!; wait'], { deadlineMs: 1_000 })
    expect(result).toMatchObject({ outcome: 'timed_out', exitCode: null })
    await result.ended
    const grandchild = Number(result.stdout)
    await expect.poll(() => isAlive(grandchild)).toBe(false)
  })

  it('does not count time in which the agent itself stood still against a command', async () => {
    const running = runCommand('sleep', ['1'], { deadlineMs: 3_000 })
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 4_000)
    expect(await running).toMatchObject({ outcome: 'exited', exitCode: 0 })
  })

  it('kills a command that writes without end', async () => {
    const result = await runCommand('yes', [], { ...plenty, maxOutputBytes: 10_000 })
    expect(result.outcome).toBe('too_much_output')
    expect(result.stdout.length).toBeLessThanOrEqual(10_000)
    await result.ended
  })

  it('says that a program is missing', async () => {
    const result = await runCommand('/no/such/program', [], plenty)
    expect(result.outcome).toBe('not_started')
    expect(describeFailure(result)).toContain('/no/such/program')
    await result.ended
  })

  it('takes an argument that no command can have for a command that was not started', async () => {
    expect((await runCommand('echo', ['a\0b'], plenty)).outcome).toBe('not_started')
  })

  it('ends a command when the agent stops, and starts none afterwards', async () => {
    const stopping = new AbortController()
    const running = runCommand('sleep', ['60'], { ...plenty, signal: stopping.signal })
    await sleep(50)
    stopping.abort()
    expect((await running).outcome).toBe('aborted')
    expect((await runCommand('true', [], { ...plenty, signal: stopping.signal })).outcome).toBe('aborted')
  })
})

/** A zombie is dead: who its parent is, and when that reaps it, is not our concern. */
async function isAlive(pid: number): Promise<boolean> {
  if (!existsSync(`/proc/${pid}/stat`)) return false
  const { stdout } = await runCommand('cat', [`/proc/${pid}/stat`], plenty)
  return stdout !== '' && !stdout.includes(') Z ')
}
