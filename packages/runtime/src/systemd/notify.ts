import { execFile } from 'node:child_process'
import { printable } from '../text/table.js'

/** The connection to the systemd that started this process. */
export interface SystemdOptions {
  /** The socket on which systemd listens; null when it did not start this process. */
  readonly notifySocket: string | null
  /** systemd restarts this process when it gets no message for so long; null when it does not watch. */
  readonly watchdogMs: number | null
}

/** Sends the messages of a service of `Type=notify`. */
export interface Notifier {
  /** Reports that the start is complete; from now on the watchdog gets its messages while the event loop runs. */
  ready(): Promise<void>
  /** Sets the text that `systemctl status` shows. */
  status(text: string): Promise<void>
  /** Reports that the service stops; the watchdog gets no more messages. */
  stopping(): Promise<void>
}

export interface NotifierOptions extends SystemdOptions {
  readonly clock: { after(delayMs: number, callback: () => void): () => void }
  /** Called once when systemd cannot be reached. */
  readonly onFault: (message: string) => void
  /** The program that sends a message. */
  readonly program?: string
}

const deadlineMs = 5_000

/** Reads the variables that systemd sets. Its watchdog names its process: a child that inherits the variables is not watched. */
export function readSystemdOptions(env: NodeJS.ProcessEnv): SystemdOptions {
  const microseconds = Number(env.WATCHDOG_USEC)
  const isForUs = env.WATCHDOG_PID === undefined || Number(env.WATCHDOG_PID) === process.pid
  return {
    notifySocket: env.NOTIFY_SOCKET || null,
    watchdogMs: isForUs && microseconds > 0 ? microseconds / 1000 : null,
  }
}

/**
 * Node has no Unix datagram sockets, so that `systemd-notify` sends each message: 4 ms of CPU twice in a watchdog period. The
 * unit needs `NotifyAccess=all`, because the message comes from a child.
 */
export function createNotifier(options: NotifierOptions): Notifier {
  const { notifySocket, watchdogMs, clock, onFault, program = 'systemd-notify' } = options
  if (notifySocket === null) return { ready: nothing, status: nothing, stopping: nothing }
  const env = { PATH: '/usr/bin:/bin', NOTIFY_SOCKET: notifySocket }
  let failed = false
  let cancel: (() => void) | undefined

  async function send(message: string): Promise<void> {
    const fault = await run(program, message, env)
    if (fault !== null && !failed) onFault(`could not notify systemd, which may restart this service: ${fault}`)
    failed = fault !== null
  }

  function feed(periodMs: number): void {
    // The next message waits for this one, so that a systemd that does not answer gathers no processes.
    cancel = clock.after(periodMs, () => void send('WATCHDOG=1').then(() => cancel && feed(periodMs)))
  }

  return {
    async ready() {
      await send('READY=1')
      if (watchdogMs !== null) feed(watchdogMs / 2)
    },
    status: async (text) => send(`STATUS=${printable(text)}`),
    async stopping() {
      cancel?.()
      cancel = undefined
      await send('STOPPING=1')
    },
  }
}

/** Returns null, or why the message could not be sent. */
function run(program: string, message: string, env: Readonly<Record<string, string>>): Promise<string | null> {
  return new Promise((resolve) => {
    execFile(program, [message], { cwd: '/', env, timeout: deadlineMs, killSignal: 'SIGKILL' }, (error) =>
      resolve(error === null ? null : error.message.trim()),
    )
  })
}

async function nothing(): Promise<void> {}
