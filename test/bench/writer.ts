import { setTimeout as sleep } from 'node:timers/promises'
import { Pool } from 'undici'

export interface Request {
  readonly method: 'GET' | 'POST' | 'PATCH'
  readonly path: string
  readonly body?: object
}

export interface Writer {
  /** Throws for anything but success. */
  send(request: Request): Promise<void>
  /** Milliseconds of each of so many requests, that many a second, from when each was due. */
  atRate(perSecond: number, count: number, next: () => Request): Promise<readonly number[]>
  /** Requests a second that so many clients get done, each sending its next one when it has its answer. */
  flood(clients: number, count: number, next: () => Request): Promise<number>
  close(): Promise<void>
}

/** Changes keys with each request, because a key may ask 200 times a second. */
export function createWriter(url: string, keys: readonly string[]): Writer {
  const pool = new Pool(url, { connections: 16, pipelining: 1 })
  let count = 0

  async function send({ method, path, body }: Request): Promise<void> {
    const headers = { authorization: `apikey ${keys[count++ % keys.length]}`, 'content-type': 'application/json' }
    const options = { method, path, headers, body: body === undefined ? null : JSON.stringify(body) }
    const answer = await pool.request(options)
    const text = await answer.body.text()
    if (answer.statusCode >= 300) throw new Error(`${method} ${path} was answered ${answer.statusCode}: ${text}`)
  }

  return {
    send,
    async atRate(perSecond, count, next) {
      const begin = performance.now()
      const times: Promise<number>[] = []
      for (let i = 0; i < count; i++) {
        const due = begin + (i * 1000) / perSecond
        if (due > performance.now()) await sleep(due - performance.now())
        times.push(send(next()).then(() => performance.now() - due))
      }
      return Promise.all(times)
    },
    async flood(clients, count, next) {
      let left = count
      const begin = performance.now()
      const client = async () => {
        while (left-- > 0) await send(next())
      }
      await Promise.all(Array.from({ length: clients }, client))
      return count / ((performance.now() - begin) / 1000)
    },
    close: () => pool.close(),
  }
}
