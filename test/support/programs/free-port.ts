import { createServer } from 'node:net'

/**
 * A port of the loopback on which nobody listens, for a server that must come back at the same address: one that the
 * kernel gives to nobody by chance, since between two starts it is free for all. Linux gives those from 32768 on.
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
