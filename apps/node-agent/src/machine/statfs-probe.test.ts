import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { runCommand } from './run-command.js'
import type { CommandResult, RunCommand } from './run-command.js'
import { createStatfsProbe } from './statfs-probe.js'

const root = { id: 1, mountPoint: '/' }
/** A machine with much to do takes seconds to start a process. */
const deadlineMs = 50_000

describe('a probe with the real stat', () => {
  it('gives the values of a filesystem', async () => {
    const result = await createStatfsProbe({ run: runCommand, deadlineMs }).probe(root)
    expect(result).toMatchObject({ state: 'ok' })
  })

  it('says what is wrong with a mount that answers with an error', async () => {
    const result = await createStatfsProbe({ run: runCommand, deadlineMs }).probe({
      id: 2,
      mountPoint: '/no/such/mount',
    })
    expect(result.state).toBe('failed')
    expect(result).toHaveProperty('message', expect.stringContaining('No such file or directory'))
  })

  it('looks below the root of the machine', async () => {
    const paths: string[] = []
    const run: RunCommand = async (file, args, options) => {
      paths.push(args.at(-1) ?? '')
      return runCommand(file, args, options)
    }
    await createStatfsProbe({ run, deadlineMs, path: (path) => `/srv/root${path}` }).probe({
      id: 3,
      mountPoint: '/data',
    })
    expect(paths).toEqual(['/srv/root/data'])
  })

  it('stops asking when the agent stops', async () => {
    const probe = createStatfsProbe({ run: runCommand, command: ['sleep', '60'], deadlineMs: 60_000 })
    const asked = probe.probe({ id: 4, mountPoint: '1' })
    probe.close()
    expect(await asked).toMatchObject({ state: 'failed' })
  })
})

describe('a mount that does not answer', () => {
  let processes: { readonly end: () => void }[]
  const hangs: CommandResult = {
    outcome: 'timed_out',
    exitCode: null,
    stdout: '',
    stderr: '',
    ended: Promise.resolve(),
  }
  const answers: CommandResult = { ...hangs, outcome: 'exited', exitCode: 0, stdout: '4096 4 3 2 1 1' }
  let outcome: CommandResult
  /** A process in D state: it outlives its deadline until the test ends it. */
  const run: RunCommand = async () => {
    const ended = new Promise<void>((resolve) => processes.push({ end: resolve }))
    return { ...outcome, ended }
  }

  beforeEach(() => {
    processes = []
    outcome = hangs
    vi.useFakeTimers({ toFake: ['Date'], now: Date.parse('2026-11-20T12:00:00Z') })
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  it('is stuck since it was first asked, and is not asked while a process hangs in it', async () => {
    const probe = createStatfsProbe({ run })
    const expected = {
      state: 'stuck',
      since: Date.now(),
      message: '/ has not answered since 2026-11-20T12:00:00.000Z',
    }
    expect(await probe.probe(root)).toEqual(expected)
    vi.setSystemTime(Date.now() + 600_000)
    expect(await probe.probe(root)).toEqual(expected)
    expect(processes).toHaveLength(1)

    processes[0]?.end()
    await Promise.resolve()
    expect(await probe.probe(root)).toEqual(expected)
    expect(processes).toHaveLength(2)
  })

  it('is well again once it answers', async () => {
    const probe = createStatfsProbe({ run })
    await probe.probe(root)
    processes[0]?.end()
    await Promise.resolve()
    outcome = answers
    expect(await probe.probe(root)).toMatchObject({ state: 'ok' })
  })

  it('does not stand in the way of another mount at the same path', async () => {
    const probe = createStatfsProbe({ run })
    await probe.probe(root)
    outcome = answers
    expect(await probe.probe({ ...root, id: 99 })).toMatchObject({ state: 'ok' })
  })

  it('is forgotten when it is no longer mounted and its process is gone', async () => {
    const probe = createStatfsProbe({ run })
    await probe.probe(root)
    probe.keepOnly([])
    vi.setSystemTime(Date.now() + 60_000)
    expect(await probe.probe(root)).toHaveProperty('since', Date.now() - 60_000)
    processes[0]?.end()
    await Promise.resolve()
    probe.keepOnly([])
    expect(await probe.probe(root)).toHaveProperty('since', Date.now())
  })

  it('is asked once for all who ask at the same time', async () => {
    const probe = createStatfsProbe({ run })
    const [one, other] = await Promise.all([probe.probe(root), probe.probe(root)])
    expect(one).toBe(other)
    expect(processes).toHaveLength(1)
  })
})
