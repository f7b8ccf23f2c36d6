import type { HeartbeatService } from '@roost/api-types/rpc'
import { errorText } from '@roost/runtime'
import type { Log } from '../../lifecycle/log.js'
import { sendHttp } from '../../services/send-http.js'

export interface HeartbeatOptions {
  /** Null: there is none. */
  readonly url: string | null
  /** When alerts were evaluated last, in Unix milliseconds. */
  readonly evaluatedMs: () => number
  readonly log: Pick<Log, 'warn' | 'info'>
  /** Unix milliseconds. */
  readonly now: () => number
}

export interface Heartbeat extends HeartbeatService {
  /** Calls the URL if alerts are evaluated. */
  run(): Promise<void>
}

/** Three rounds of the health were missed. */
const evaluationMs = 120_000
const timeoutMs = 10_000
const keptBytes = 1_024

/** The dead man's switch: a service elsewhere notices when it is not called any more. */
export function createHeartbeat({ url, evaluatedMs, log, now }: HeartbeatOptions): Heartbeat {
  const target = url === null ? null : new URL(url).host
  let lastSuccessMs: number | null = null
  let error = ''
  const call = async (url: string) => {
    if (now() - evaluatedMs() >= evaluationMs) throw new Error('Alerts are not evaluated.')
    const signal = AbortSignal.timeout(timeoutMs)
    const request = { method: 'GET', url, headers: { 'user-agent': 'Roost' }, ca: undefined, signal, keptBytes }
    const { status } = await sendHttp(request).catch((error: unknown) => {
      throw signal.aborted ? new Error(`${target} did not answer within ${timeoutMs / 1000} s.`) : error
    })
    if (status < 200 || status >= 300) throw new Error(`${target} answered with status ${status}.`)
  }
  return {
    get: () => ({
      target,
      last_success_at: lastSuccessMs === null ? null : new Date(lastSuccessMs).toISOString(),
      error,
    }),
    async run() {
      if (url === null) return
      const before = error
      try {
        await call(url)
        lastSuccessMs = now()
        error = ''
        if (before !== '') log.info({ target }, 'heartbeat is called again')
      } catch (fault) {
        error = errorText(fault)
        if (error !== before) log.warn({ target, reason: error }, 'could not call the heartbeat, retrying')
      }
    },
  }
}
