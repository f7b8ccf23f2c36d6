import { existsSync } from 'node:fs'
import { afterEach, describe, expect, it } from 'vitest'
import { keepHelper, startHelper } from './helper.js'
import type { Helper } from './helper.js'

/** A machine with much to do takes seconds to start a process. */
const patienceMs = 50_000

let helper: Helper
const start = (script: string, ...args: string[]) => (helper = startHelper('sh', ['-c', script, 'roost-test', ...args]))
afterEach(() => helper.close())

describe('a helper', () => {
  it('answers each question, and is the same process all the time', async () => {
    start('while read -r _; do echo "$$ $1"; echo .; done', 'a b')
    const first = await helper.ask(patienceMs)
    expect(first).toEqual({ outcome: 'answered', stdout: expect.stringMatching(/^\d+ a b\n$/) })
    expect(await helper.ask(patienceMs)).toEqual(first)
  })

  it('may have nothing to say', async () => {
    start('while read -r _; do echo .; done')
    expect(await helper.ask(patienceMs)).toEqual({ outcome: 'answered', stdout: '' })
  })

  it('is killed at the deadline with what it started, and leaves what it said until then', async () => {
    start('while read -r _; do echo so far; sleep 60 & echo $!; wait; done')
    const { outcome, stdout } = await helper.ask(8_000)
    expect(outcome).toBe('timed_out')
    await helper.ended
    const [, said, sleeper] = /^(so far)\n(\d+)\n$/.exec(stdout) ?? []
    expect(said).toBe('so far')
    await expect.poll(() => existsSync(`/proc/${sleeper}/fd/0`)).toBe(false)
  })

  it('says that it has ended, before and after a question', async () => {
    start('read -r _; echo half')
    expect((await helper.ask(patienceMs)).outcome).toBe('ended')
    expect((await helper.ask(patienceMs)).outcome).toBe('ended')
  })

  it('that cannot be started has ended', async () => {
    helper = startHelper('/no/such/program', [])
    expect((await helper.ask(patienceMs)).outcome).toBe('ended')
    await helper.ended
  })

  it('is another one when it is asked about others, and after it has ended', async () => {
    const kept = keepHelper(startHelper, [
      'sh',
      '-c',
      'while read -r _; do echo "$$ $*"; echo .; [ "$1" = last ] && exit; done',
      'x',
    ])
    const ask = async (...about: string[]) => (await kept.ask(about, patienceMs)).stdout.trim().split(' ')
    const [first, a] = await ask('a')
    expect(a).toBe('a')
    expect(await ask('a')).toEqual([first, 'a'])
    const [second] = await ask('last')
    expect(second).not.toBe(first)
    await expect.poll(async () => (await kept.ask(['last'], patienceMs)).outcome).toBe('ended')
    expect((await ask('last'))[0]).not.toBe(second)
    kept.close()
  })

  it('ends by itself when we are gone: its input is closed', async () => {
    start('while read -r _; do echo "$$"; echo .; done')
    const pid = (await helper.ask(patienceMs)).stdout.trim()
    helper.close()
    await helper.ended
    await expect.poll(() => existsSync(`/proc/${pid}/fd/0`)).toBe(false)
  })
})
