import { createServer } from 'node:net'

/**
 * Returns a port of the loopback on which no server listens, for a server that must restart at the same address: one that the
 * kernel does not assign to other connections, since it is free between two starts. Linux assigns ports from 32768 on.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = 15_000 + Math.floor(Math.random() * 15_000)
    if (await isFree(port)) return port
  }
}

function isFree(port: number): Promise<boolean> {
  const server = createServer()
  return new Promise((resolve) => {
    server.once('error', () => resolve(false))
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
  })
}
