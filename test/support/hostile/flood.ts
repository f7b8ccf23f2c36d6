import { setTimeout as sleep } from 'node:timers/promises'
import type { SimulatedAgent } from '../agents/simulated-agent.js'

/** What a socket may have unsent: more would only need the memory of the test. */
const maxUnsentBytes = 4 << 20

/** An agent that sends messages as fast as they are read, and connects again each time its session ends. */
export class Flood {
  sent = 0
  sessions = 0
  readonly #agent: SimulatedAgent
  readonly #messages: readonly (string | Uint8Array)[]
  readonly #work: Promise<void>
  /** Each flood begins somewhere else, so that several do not send the same at the same time. */
  #next: number
  #isStopped = false

  constructor(agent: SimulatedAgent, messages: readonly (string | Uint8Array)[]) {
    this.#agent = agent
    this.#messages = messages
    this.#next = Math.floor(Math.random() * messages.length)
    this.#work = this.#run()
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    this.#agent.stop('terminate')
    await this.#work
  }

  async #run(): Promise<void> {
    while (!this.#isStopped) {
      this.sessions += 1
      const { welcomed } = this.#agent
      this.#agent.dial()
      await this.#agent.until((agent) => agent.welcomed > welcomed || agent.ended !== undefined)
      while (!this.#isStopped && this.#agent.ended === undefined) {
        this.#sendSome()
        await sleep(5)
      }
    }
  }

  #sendSome(): void {
    const { socket } = this.#agent
    for (let i = 0; i < 20 && socket.bufferedAmount < maxUnsentBytes; i++) {
      const message = this.#messages[this.#next % this.#messages.length]
      if (message === undefined || socket.readyState !== socket.OPEN) return
      socket.send(message)
      this.#next += 1
      this.sent += 1
    }
  }
}
