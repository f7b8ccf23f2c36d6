import { encodeHistoryFrame } from '@roost/api-types/agent'
import type { MetricDefinition, ServerMessage } from '@roost/api-types/agent'
import { encodeChunk } from '@roost/history'
import { SimulatedAgent } from '../support/agents/simulated-agent.js'
import type { SimulatedAgentOptions } from '../support/agents/simulated-agent.js'

export const stepMs = 10_000
export const windowMs = 300_000

/** Definitions of metrics with these names. */
export const definitions = (...names: string[]): MetricDefinition[] =>
  names.map((name) => ({ name, unit: 'count', aggregation: 'mean' }))

/** The value of a metric at a time: an integer, so that it comes back exactly. NaN in each 7th reading of column 1. */
export function valueAt(column: number, timeMs: number): number {
  const reading = Math.floor(timeMs / stepMs)
  return column === 1 && reading % 7 === 0 ? Number.NaN : (reading % 1000) + column * 1000
}

export interface WindowOptions {
  readonly startMs: number
  readonly sequence: number
  readonly columns?: number
  readonly catalogue?: number
  readonly readings?: number
  readonly value?: typeof valueAt
}

/** The bytes of a window of readings. */
export function windowFrame({
  startMs,
  sequence,
  columns = 2,
  catalogue = 1,
  readings = 30,
  value = valueAt,
}: WindowOptions): Uint8Array {
  const times = Float64Array.from({ length: readings }, (_, i) => startMs + i * stepMs)
  const values = Array.from({ length: columns }, (_, column) => times.map((time) => value(column, time)))
  const chunk = encodeChunk({ times, columns: values, mantissa: 13 })
  return encodeHistoryFrame({ catalogue, sequence, mantissa: 13, chunk })
}

/** An agent that makes chunks, with what it was answered. */
export function historyAgent(options: Omit<SimulatedAgentOptions, 'hello' | 'onMessage'>) {
  const messages: ServerMessage[] = []
  const agent = new SimulatedAgent({
    ...options,
    hello: { capabilities: ['inventory', 'metrics', 'device_usage', 'history'] },
    onMessage: (message) => void messages.push(message),
  })
  const answerTo = (sequence: number) =>
    messages.find((message) => (message.type === 'ack' || message.type === 'refused') && message.sequence === sequence)
  return {
    agent,
    messages,
    /** Resolves with the answer to the chunk of that number. */
    async send(bytes: Uint8Array, sequence: number): Promise<ServerMessage | undefined> {
      agent.sendBytes(bytes)
      await agent.until(() => answerTo(sequence) !== undefined, 10_000)
      return answerTo(sequence)
    },
  }
}
