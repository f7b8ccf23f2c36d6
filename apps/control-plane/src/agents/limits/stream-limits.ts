import type { BudgetLimits } from './node-budgets.js'
import { oldestProtocolVersion, protocolVersion } from '@roost/api-types/agent'

export interface StreamLimits extends BudgetLimits {
  /** The shortest heartbeat; large fleets get a longer one, see pace.ts. */
  readonly heartbeatMs: number
  readonly reportIntervalMs: number
  readonly inventoryIntervalMs: number
  /** Timeout of the hello of a new connection. */
  readonly helloTimeoutMs: number
  /** Timeout of a session's answer when another machine claims its identity. */
  readonly probeMs: number
  /** Maximum number of connections in the handshake, in total and per address. */
  readonly maxHandshakes: number
  readonly maxHandshakesPerAddress: number
  /** Maximum number of hellos that are verified at the same time; others wait. */
  readonly admissions: number
  readonly messagesPerSecond: number
  readonly messageBurst: number
  /** Bytes of all large messages that wait until they are read; an agent whose message is beyond them connects again later. */
  readonly maxLargeBytes: number
  /** Hellos without a valid signature; above it, an address must wait. */
  readonly refusedHellosPerMinute: number
  /** Milliseconds that each node adds to the time over which reconnects are spread. */
  readonly spreadPerNodeMs: number
  readonly protocol: { readonly oldest: number; readonly current: number }
}

export const defaultStreamLimits: StreamLimits = {
  heartbeatMs: 15_000,
  reportIntervalMs: 10_000,
  inventoryIntervalMs: 3_600_000,
  helloTimeoutMs: 10_000,
  probeMs: 3_000,
  maxHandshakes: 1_000,
  maxHandshakesPerAddress: 250,
  admissions: 8,
  messagesPerSecond: 50,
  messageBurst: 500,
  maxLargeBytes: 64 << 20,
  bytesPerSecond: 256 << 10,
  byteBurst: 4 << 20,
  cpuMsPerSecond: 20,
  cpuMsBurst: 200,
  heavyMessagesPerSecond: 0.1,
  // An operator or a script may deploy dozens of times in a few minutes: each changes the inventory and often the catalogue.
  heavyMessageBurst: 60,
  refusedHellosPerMinute: 60,
  spreadPerNodeMs: 30,
  protocol: { oldest: oldestProtocolVersion, current: protocolVersion },
}
