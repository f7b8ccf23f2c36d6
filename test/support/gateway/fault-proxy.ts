import { once } from 'node:events'
import { connect } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { repository } from '../http/control-plane.js'
import { ports } from '../swift/layout.js'
import type { Swift } from '../swift/cluster.js'

export const faultProxyProgram = join(repository, 'test/support/gateway/fault-proxy.mjs')
const address = '127.0.2.5'

export interface FaultCounters {
  readonly exchanges: number
  readonly connections: number
  /** Connections that were cut, by where. */
  readonly cuts: Readonly<Record<'up' | 'down' | 'body' | 'answer', number>>
}

/** A damaged way to a real Swift, for gateways; tests ask Swift itself. */
export interface FaultProxy {
  /** As the machine reaches it, for the storage login of a cluster. */
  readonly authUrl: string
  /** Cuts one of so many exchanges by RST after a random number of bytes, half of them in the body or right after it; 0 ends that. */
  cutOneIn(exchanges: number, seed: number): Promise<void>
  /** Refuses connections and cuts those that are open, or takes them and lets nothing pass; null brings Swift back. */
  setAway(how: 'refuse' | 'swallow' | null): Promise<void>
  /** Cuts requests whose first line has this text; null ends that. */
  cutPath(text: string | null): Promise<void>
  /** Passes PUT on to Swift, and keeps its answers until it is false. */
  blockPuts(isBlocked: boolean): Promise<void>
  counters(): Promise<FaultCounters>
}

export async function startFaultProxy({ machine, nodes: [node] }: Swift): Promise<FaultProxy> {
  const control = join(machine.dir, 'fault-proxy')
  const port = String(ports.proxy)
  machine.spawn(process.execPath, [faultProxyProgram, control, address, port, node.address, port])
  return { authUrl: `http://${address}:${port}/auth/v1.0`, ...(await connectFaultProxy(control)) }
}

/** Of a program that is starting. */
export async function connectFaultProxy(control: string): Promise<Omit<FaultProxy, 'authUrl'>> {
  const ask = async (wish: object): Promise<FaultCounters> => {
    const socket = connect({ path: control })
    await once(socket, 'connect')
    socket.write(`${JSON.stringify(wish)}\n`)
    return JSON.parse(await text(socket))
  }
  for (const deadline = Date.now() + 60_000; !(await ask({}).catch(() => undefined)); await sleep(100))
    if (Date.now() > deadline) throw new Error('The fault proxy did not start.')
  return {
    cutOneIn: async (exchanges, seed) => void (await ask({ cutEvery: exchanges, seed })),
    setAway: async (how) => void (await ask({ away: how })),
    cutPath: async (text) => void (await ask({ cutPath: text })),
    blockPuts: async (isBlocked) => void (await ask({ blockPuts: isBlocked })),
    counters: () => ask({}),
  }
}
