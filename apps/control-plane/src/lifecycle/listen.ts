import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import type { FastifyInstance } from 'fastify'
import type { Config } from '../config.js'
import { PortInUseError, StartError } from './start-error.js'

const faults: Readonly<Record<string, string>> = {
  EADDRINUSE: 'the port is in use. Stop the program that uses it, or set ROOST_LISTEN to another port.',
  EACCES: 'this account is not permitted to open the port. Set ROOST_LISTEN to a port above 1023.',
  EADDRNOTAVAIL: 'this machine does not have the address. Set ROOST_LISTEN to one of its addresses.',
  ENOTFOUND: 'the name has no address. Set ROOST_LISTEN to an address of this machine.',
}

/** Throws StartError if the address cannot be opened now. */
export async function requirePort({ host, port }: Config['listen']): Promise<void> {
  const server = createServer()
  await orStartError(
    { host, port },
    new Promise<void>((resolve, reject) => server.once('error', reject).listen({ host, port }, resolve)),
  )
  await new Promise((resolve) => server.close(resolve))
}

/** Listens, and returns the port: a free one if the configured port is 0. Throws StartError. */
export async function listen(app: FastifyInstance, { host, port }: Config['listen']): Promise<number> {
  await orStartError({ host, port }, app.listen({ host, port }))
  return (app.server.address() as AddressInfo).port
}

async function orStartError({ host, port }: Config['listen'], listening: Promise<unknown>): Promise<void> {
  try {
    await listening
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException
    const reason = faults[code]
    if (reason === undefined) throw error
    const Fault = code === 'EADDRINUSE' ? PortInUseError : StartError
    throw new Fault(`Cannot listen on ${host}:${port}: ${reason}`, { cause: error })
  }
}
