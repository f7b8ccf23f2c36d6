import { connect } from 'node:net'
import type { Socket } from 'node:net'
import type { Endpoint } from './proxy-settings.js'

const silenceMs = 5_000

/** A connection to a memcached server, for one command at a time. */
export interface Memcached {
  /** Yields a line of `lru_crawler metadump all` for each item. Other commands must wait for its end. */
  items(): AsyncIterable<string>
  /** Returns values by key, without missing keys. */
  get(keys: readonly string[]): Promise<ReadonlyMap<string, string>>
  /** Deletes keys, and returns the number of those that existed. */
  remove(keys: readonly string[]): Promise<number>
}

/** Connects for the work, at most until the deadline. Rejects when the server does not answer. */
export async function withMemcached<T>(
  server: Endpoint,
  deadlineMs: number,
  work: (memcached: Memcached) => Promise<T>,
): Promise<T> {
  const socket = connect({ ...server, timeout: silenceMs })
  socket.once('timeout', () => socket.destroy(new Error('it does not answer')))
  socket.once('error', () => {})
  const timer = setTimeout(() => socket.destroy(new Error('it takes too long')), deadlineMs)
  try {
    return await work(createMemcached(socket))
  } finally {
    clearTimeout(timer)
    socket.destroy()
  }
}

function createMemcached(socket: Socket): Memcached {
  const input = createInput(socket)
  const send = (line: string) => void socket.write(`${line}\r\n`)
  return {
    async *items() {
      send('lru_crawler metadump all')
      for (;;) {
        const line = checked(await input.line())
        if (line === 'END') return
        yield line
      }
    },
    async get(keys) {
      send(`get ${keys.join(' ')}`)
      const values = new Map<string, string>()
      for (;;) {
        const line = checked(await input.line())
        if (line === 'END') return values
        const [, key = '', , bytes = '0'] = line.split(' ')
        values.set(key, await input.text(Number(bytes)))
        await input.line()
      }
    },
    async remove(keys) {
      send(keys.map((key) => `delete ${key}`).join('\r\n'))
      let removed = 0
      for (let answers = 0; answers < keys.length; answers++) {
        if (checked(await input.line()) === 'DELETED') removed += 1
      }
      return removed
    },
  }
}

function checked(line: string): string {
  if (/^(ERROR|CLIENT_ERROR|SERVER_ERROR|BUSY)/.test(line)) throw new Error(line)
  return line
}

/** Reads lines and counted bytes from a socket, only as far as needed. */
function createInput(socket: Socket) {
  const chunks = socket[Symbol.asyncIterator]() as AsyncIterator<Buffer>
  let buffer = Buffer.alloc(0)
  const more = async () => {
    const { done, value } = await chunks.next()
    if (done === true) throw socket.errored ?? new Error('it closed the connection')
    buffer = Buffer.concat([buffer, value])
  }
  const next = (bytes: number) => {
    const bytesRead = buffer.subarray(0, bytes).toString('latin1')
    buffer = buffer.subarray(bytes)
    return bytesRead
  }
  return {
    async line(): Promise<string> {
      let end = buffer.indexOf(0x0a)
      for (; end === -1; end = buffer.indexOf(0x0a)) await more()
      return next(end + 1).trimEnd()
    },
    async text(bytes: number): Promise<string> {
      while (buffer.length < bytes) await more()
      return next(bytes)
    },
  }
}
