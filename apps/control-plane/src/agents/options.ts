import { oldestProtocolVersion, protocolVersion } from '@roost/api-types/agent'

export interface StreamOptions {
  /** The shortest heartbeat; large fleets get a longer one, see pace.ts. */
  readonly heartbeatMs: number
  readonly reportIntervalMs: number
  readonly inventoryIntervalMs: number
  /** How long a new connection may take to say hello. */
  readonly helloTimeoutMs: number
  /** How long a session has to answer when another machine claims its identity. */
  readonly probeMs: number
  /** Connections that have not said hello yet, in all and from one address. */
  readonly maxGreeting: number
  readonly maxGreetingPerAddress: number
  /** Hellos that are looked up at the same time; the others wait their turn. */
  readonly admissions: number
  readonly messagesPerSecond: number
  readonly messageBurst: number
  /** Milliseconds over which each node of the fleet stretches the reconnects of all. */
  readonly spreadPerNodeMs: number
  readonly protocol: { readonly oldest: number; readonly current: number }
}

export const defaultStreamOptions: StreamOptions = {
  heartbeatMs: 15_000,
  reportIntervalMs: 10_000,
  inventoryIntervalMs: 3_600_000,
  helloTimeoutMs: 10_000,
  probeMs: 3_000,
  maxGreeting: 1_000,
  maxGreetingPerAddress: 250,
  admissions: 8,
  messagesPerSecond: 50,
  messageBurst: 500,
  spreadPerNodeMs: 30,
  protocol: { oldest: oldestProtocolVersion, current: protocolVersion },
}
