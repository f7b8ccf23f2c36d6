import { Client } from 'undici'

export interface Reader {
  /** Bytes of the answer. Throws for anything but 200. */
  read(path: string): Promise<number>
  close(): Promise<void>
}

/** One client on one connection. It changes keys with each request, because a key may ask 200 times a second. */
export function createReader(url: string, keys: readonly string[]): Reader {
  const client = new Client(url, { pipelining: 1 })
  let count = 0
  return {
    async read(path) {
      const authorization = `apikey ${keys[count++ % keys.length]}`
      const { statusCode, body } = await client.request({ method: 'GET', path, headers: { authorization } })
      let bytes = 0
      for await (const chunk of body) bytes += (chunk as Buffer).length
      if (statusCode !== 200) throw new Error(`${path} was answered ${statusCode}`)
      return bytes
    },
    close: () => client.close(),
  }
}
