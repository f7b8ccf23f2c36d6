import type { KeyObject } from 'node:crypto'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { parentPort, workerData } from 'node:worker_threads'
import { SimulatedAgent } from '../support/agents/simulated-agent.js'
import { Flood } from '../support/hostile/flood.js'
import { hostileMessages } from '../support/hostile/hostile-messages.js'

export interface RogueOrder {
  readonly url: string
  readonly identities: readonly { readonly uuid: string; readonly privateKey: KeyObject }[]
}

/** What the rogues have sent when they end. */
export interface RoguesSent {
  readonly messages: number
  readonly sessions: number
  readonly seconds: number
}

const { url, identities } = workerData as RogueOrder
const port = parentPort as NonNullable<typeof parentPort>
const messages = hostileMessages()
const floods = identities.map((identity) => new Flood(new SimulatedAgent({ url, identity }), messages))
while (floods.some(({ sent }) => sent === 0)) await sleep(10)
const begun = performance.now()
port.postMessage('begun')
await once(port, 'message')
await Promise.all(floods.map((flood) => flood.stop()))
const sum = (of: (flood: Flood) => number) => floods.reduce((total, flood) => total + of(flood), 0)
const sent: RoguesSent = {
  messages: sum((flood) => flood.sent),
  sessions: sum((flood) => flood.sessions),
  seconds: (performance.now() - begun) / 1000,
}
port.postMessage(sent)
port.close()
