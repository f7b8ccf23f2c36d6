import type { Clock } from '@roost/runtime'
import type { Collector } from '../engine/collector.js'
import type { Measurement } from '../engine/metric.js'
import { StatsdFold } from './statsd-fold.js'
import { DatagramListener } from '../../machine/datagram-listener.js'
import type { NodeProblems } from '../../machine/problems.js'
import { ResponseWatch } from '../../swift/statsd/responses.js'

export interface StatsdOptions {
  /** Called at every reading until it listens: Swift may be installed after the agent. */
  readonly isWanted: () => boolean
  readonly address: string
  readonly port: number
  readonly maxNames: number
  readonly clock: Clock
  /** Gets what the answers of the proxy say. */
  readonly problems: Pick<NodeProblems, 'set'>
}

export interface Statsd extends Collector {
  read(): Promise<readonly Measurement[]>
  /** Undefined until it listens. */
  readonly port: number | undefined
  close(): void
}

/** Receives the statistics that Swift's servers send, and reports them as metrics. Listens from the first reading on. */
export function createStatsd({ isWanted, address, port, maxNames, clock, problems }: StatsdOptions): Statsd {
  const fold = new StatsdFold(maxNames, clock.monotonic())
  const responses = new ResponseWatch(problems, clock.monotonic())
  const listener = new DatagramListener({
    what: "Swift's statistics",
    address,
    port,
    onDatagram: (bytes) => fold.add(bytes),
  })
  return {
    name: 'statsd',
    async read() {
      if (listener.port === undefined && !isWanted()) return []
      await listener.open()
      responses.add(fold.readResponses(), clock.monotonic())
      return fold.read(clock.monotonic())
    },
    get port() {
      return listener.port
    },
    close: () => listener.close(),
  }
}
