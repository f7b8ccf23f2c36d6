import { closeCodes, isTooDeep } from '@roost/api-types/agent'
import { insertNodes } from '../support/agents/nodes.js'
import { SimulatedAgent } from '../support/agents/simulated-agent.js'
import type { SimulatedIdentity } from '../support/agents/simulated-identity.js'
import type { TestDatabase } from '../support/database/database.js'
import { isOver, isWelcomed } from '../stream/dial.js'

export interface RogueTarget {
  readonly url: string
  readonly ca?: string
  readonly database: TestDatabase
  /** Its sessions are parked: the machine of the node, which is this one, is connected. */
  readonly isParked?: boolean
}

/** Below the bursts that a node may send: more would be read later. */
const messagesPerSession = 60
/** Messages of a parked session are refused, and cost little. */
const messagesPerParked = 400
const heavyPerParked = 50
const groupSize = 40
const heavyPerNode = 20
type Message = string | Uint8Array
const isHeavy = (message: Message) => typeof message === 'string' && /"type":"(?:inventory|catalogue)"/.test(message)
const described = (message: Message) => (typeof message === 'string' ? message : Buffer.from(message).toString('hex'))

/**
 * Enrolled agents that send what they like. Each is a node of its own, since one hostile message may make
 * a node refuse its later ones.
 */
export class Rogue {
  /** Messages that ended their session with another code than 1008, for the report of a test. */
  readonly faults: string[] = []
  readonly nodeIds: number[] = []
  readonly #target: RogueTarget
  readonly #clusterId: number
  #agent: SimulatedAgent | undefined
  #owner: SimulatedAgent | undefined
  #left = 0
  #heavyLeft = 0

  constructor(target: RogueTarget, clusterId: number) {
    this.#target = target
    this.#clusterId = clusterId
  }

  /** Sends texts until the control plane has read all of them; those of a group whose session ends are sent again one by one. */
  async sendAll(texts: Iterable<string>): Promise<void> {
    let group: string[] = []
    for (const text of texts) {
      // One that certainly ends its session must not end the session of a group.
      if (isTooDeep(text)) {
        await this.#sendAlone(text)
        continue
      }
      group.push(text)
      if (group.length === groupSize || group.filter(isHeavy).length === heavyPerNode)
        await this.#sendGroup(group.splice(0))
    }
    await this.#sendGroup(group)
  }

  /** Sends frames one by one, each to a session that has this catalogue. */
  async sendFrames(catalogue: string, frames: readonly Uint8Array[]): Promise<void> {
    for (const frame of frames) {
      if (this.#agent === undefined || isOver(this.#agent)) await this.#sendAlone(catalogue)
      await this.#sendAlone(frame)
    }
  }

  async #sendGroup(texts: readonly string[]): Promise<void> {
    if (texts.length === 0 || (await this.#send(texts)) === undefined) return
    for (const text of texts) await this.#sendAlone(text)
  }

  async #sendAlone(message: Message): Promise<void> {
    const code = await this.#send([message])
    if (code !== undefined && code !== closeCodes.policyViolation)
      this.faults.push(`${code}: ${described(message).slice(0, 300)}`)
  }

  /** Sends messages and waits until they are read. Returns the close code of a session that ended. */
  async #send(messages: readonly Message[]): Promise<number | undefined> {
    const agent = await this.#session(messages)
    const pongs = agent.pongs
    for (const message of messages) agent.socket.send(message)
    agent.send({ type: 'ping', id: 1 })
    await agent.until((one) => one.pongs > pongs || isOver(one))
    this.#left -= messages.length + 1
    this.#heavyLeft -= messages.filter(isHeavy).length
    return agent.ended?.code
  }

  stop(): void {
    this.#agent?.stop('terminate')
    this.#agent = undefined
    this.#owner?.stop('terminate')
    this.#owner = undefined
  }

  async #session(messages: readonly Message[]): Promise<SimulatedAgent> {
    const isEnough = this.#left > messages.length && this.#heavyLeft >= messages.filter(isHeavy).length
    if (this.#agent !== undefined && isEnough && !isOver(this.#agent)) return this.#agent
    this.stop()
    return this.#newSession()
  }

  async #newSession(): Promise<SimulatedAgent> {
    const { database, isParked = false } = this.#target
    const [identity] = await insertNodes(database, this.#clusterId, 1)
    if (identity === undefined) throw new Error('No node was inserted.')
    this.nodeIds.push(identity.id)
    if (isParked) this.#owner = await this.#dial(identity)
    const agent = await this.#dial(identity, isParked ? { machine_id: 'clone' } : {})
    if (isParked !== (agent.parkedBecause !== null)) throw new Error('The wrong one of two machines is parked.')
    this.#left = isParked ? messagesPerParked : messagesPerSession
    this.#heavyLeft = isParked ? heavyPerParked : heavyPerNode
    this.#agent = agent
    return agent
  }

  async #dial(identity: SimulatedIdentity, hello: { readonly machine_id?: string } = {}): Promise<SimulatedAgent> {
    const { url, ca } = this.#target
    const agent = new SimulatedAgent({ url, identity, hello, ...(ca === undefined ? {} : { ca }) })
    agent.dial()
    await agent.until(isWelcomed)
    return agent
  }
}
