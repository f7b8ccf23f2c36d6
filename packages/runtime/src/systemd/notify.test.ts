import { spawn, spawnSync } from 'node:child_process'
import type { ChildProcessByStdio } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { systemClock } from '../clock.js'
import { createNotifier, readSystemdOptions } from './notify.js'

const has = (program: string): boolean => spawnSync(program, ['--version']).status === 0
const missing = ['python3', 'systemd-notify'].filter((program) => !has(program))

// Stands in for systemd: binds the socket, writes the time and text of each message to a file.
const receiver = `
import socket, sys, time
s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
s.bind(sys.argv[1])
log = open(sys.argv[2], 'a')
print('bound', flush=True)
while True:
    print(time.time(), s.recv(4096).decode(), file=log, flush=True)
`

const environment = (more: Readonly<Record<string, string>>) => readSystemdOptions({ NOTIFY_SOCKET: '/s', ...more })

it('is watched if systemd set the period for this process', () => {
  expect(environment({ WATCHDOG_USEC: '30000000', WATCHDOG_PID: String(process.pid) })).toEqual({
    notifySocket: '/s',
    watchdogMs: 30_000,
  })
  expect(environment({ WATCHDOG_USEC: '30000000', WATCHDOG_PID: '1' }).watchdogMs).toBeNull()
  expect(readSystemdOptions({ NOTIFY_SOCKET: '' })).toEqual({ notifySocket: null, watchdogMs: null })
})

describe('without systemd', () => {
  it('sends nothing when systemd did not start the process', async () => {
    const faults: string[] = []
    const options = { notifySocket: null, watchdogMs: 1, clock: systemClock, program: '/no/such/systemd-notify' }
    const notifier = createNotifier({ ...options, onFault: (message) => faults.push(message) })
    await notifier.ready()
    await notifier.stopping()
    expect(faults).toEqual([])
  })

  it('reports once that systemd cannot be reached', async () => {
    const faults: string[] = []
    const options = { notifySocket: '/no/such/socket', watchdogMs: null, clock: systemClock }
    const notifier = createNotifier({
      ...options,
      program: '/no/such/systemd-notify',
      onFault: (message) => faults.push(message),
    })
    await notifier.ready()
    await notifier.stopping()
    expect(faults).toEqual([expect.stringMatching(/^could not notify systemd, .*ENOENT/)])
  })
})

describe.skipIf(missing.length > 0)(`a notify socket (needs ${missing.join(' and ') || 'nothing more'})`, () => {
  let folder: string
  let systemd: ChildProcessByStdio<null, Readable, null>

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'roost-notify-'))
    systemd = spawn('python3', ['-c', receiver, join(folder, 'socket'), join(folder, 'log')], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    await once(systemd.stdout, 'data')
  })
  afterEach(async () => {
    systemd.kill()
    await rm(folder, { recursive: true })
  })

  const notifierOf = (watchdogMs: number | null) =>
    createNotifier({
      notifySocket: join(folder, 'socket'),
      watchdogMs,
      clock: systemClock,
      onFault: (message) => expect.fail(message),
    })

  async function messages(): Promise<{ readonly time: number; readonly text: string }[]> {
    const log = await readFile(join(folder, 'log'), 'utf8')
    const found = Array.from(log.matchAll(/^(\d+\.\d+) (.*)$/gm), ([, time, text = '']) => ({
      time: Number(time),
      text,
    }))
    return found.filter(({ text }) => !text.startsWith('BARRIER')) // systemd-notify waits with it until it was read
  }

  it('sends start, status and end', async () => {
    const notifier = notifierOf(null)
    await notifier.ready()
    await notifier.status('connected to\nhttps://roost')
    await notifier.stopping()
    expect((await messages()).map(({ text }) => text)).toEqual([
      'READY=1',
      'STATUS=connected to?https://roost',
      'STOPPING=1',
    ])
  })

  // The real watchdog is 30 s; the long variant blocks the loop for as long as that.
  const watchdogMs = process.env.ROOST_TEST_LONG ? 30_000 : 1_000
  it(
    'stops feeding the watchdog while the event loop is blocked, so that systemd would restart the service',
    { timeout: 40_000 + 10 * watchdogMs },
    async () => {
      const notifier = notifierOf(watchdogMs)
      await notifier.ready()
      // Right after a beat the next one is due before the loop turns again; on a slow machine it may be under way.
      const fed = async (): Promise<number> => (await messages()).filter(({ text }) => text === 'WATCHDOG=1').length
      await expect.poll(fed, { timeout: 30_000, interval: 10 }).toBeGreaterThanOrEqual(2)

      const before = Date.now() / 1_000
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 3 * watchdogMs)
      const blocked = Date.now() / 1_000
      const during = (await messages()).filter(({ time }) => time > before + 0.1 && time < blocked)
      expect(during.length).toBeLessThanOrEqual(1)
      await notifier.stopping()
    },
  )
})
