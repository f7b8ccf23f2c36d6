import type { Clock } from '@roost/runtime'
import { describeFailure } from './run-command.js'
import type { RunCommand } from './run-command.js'

/** Sends what systemd expects of a service of `Type=notify`. */
export interface Notifier {
  /** Reports that the start is done. From now on the watchdog is notified while the event loop runs. */
  ready(): Promise<void>
  /** Sends what the service does now, for `systemctl status`. */
  status(text: string): Promise<void>
  /** Reports the end; the watchdog is no longer notified. */
  stopping(): Promise<void>
}

export interface NotifierOptions {
  /** Where systemd listens; null when it did not start us, and nothing is sent. */
  readonly socket: string | null
  /** systemd restarts us when it hears nothing for so long; null when it does not watch. */
  readonly watchdogMs: number | null
  readonly run: RunCommand
  readonly clock: Clock
  /** Called once when systemd cannot be reached. */
  readonly onFault: (message: string) => void
}

const deadlineMs = 5_000

/**
 * Node has no datagram sockets of the Unix kind, so that `systemd-notify` carries each message: 4 ms of CPU twice in a
 * watchdog period. The unit needs `NotifyAccess=all`, because the message comes from a child.
 */
export function createNotifier({ socket, watchdogMs, run, clock, onFault }: NotifierOptions): Notifier {
  if (socket === null) return { ready: nothing, status: nothing, stopping: nothing }
  const env = { PATH: '/usr/bin:/bin', NOTIFY_SOCKET: socket }
  let failed = false
  let cancel: (() => void) | undefined

  async function send(message: string): Promise<void> {
    const result = await run('systemd-notify', [message], { deadlineMs, env })
    const ok = result.outcome === 'exited' && result.exitCode === 0
    if (!ok && !failed) onFault(`systemd-notify ${describeFailure(result)}: systemd will take the agent for dead`)
    failed = !ok
  }

  function feed(periodMs: number): void {
    // The next beat waits for this one, so that a systemd that does not answer gathers no processes.
    cancel = clock.after(periodMs, () => void send('WATCHDOG=1').then(() => cancel && feed(periodMs)))
  }

  return {
    async ready() {
      await send('READY=1')
      if (watchdogMs !== null) feed(watchdogMs / 2)
    },
    status: async (text) => send(`STATUS=${text.replaceAll(/\p{Cc}/gu, ' ')}`),
    async stopping() {
      cancel?.()
      cancel = undefined
      await send('STOPPING=1')
    },
  }
}

async function nothing(): Promise<void> {}
