import { expect } from 'vitest'
import type { EnrolledNode } from '../support/agents/nodes.js'
import type { Reachable } from '../support/http/control-plane.js'
import { request } from '../support/http/request.js'
import { definitions, historyAgent, stepMs, valueAt, windowFrame, windowMs } from './support.js'

/** How many are sent before the first of them is acknowledged, as agents do. */
export const inFlight = 4

interface Series {
  readonly metric_name: string
  readonly times: readonly number[]
  readonly values: readonly (number | null)[]
}

/** Windows of a node with two metrics, by their numbers from 1 on. */
export interface Windows {
  /**
   * Sends windows until the last is acknowledged, one is refused or the connection ends, and returns the number up to which all were
   * acknowledged. `interrupt` gets that number while others are on their way; when it resolves with true, nothing more is sent.
   */
  send(first: number, last: number, interrupt?: (acknowledged: number) => Promise<boolean>): Promise<number>
  /** Reads the readings of the first windows, of both metrics. */
  read(count: number): Promise<readonly Series[]>
  /** What `read` answers when each of these windows is there once. */
  expected(count: number): readonly Series[]
}

export function windowsOf(roost: () => Reachable, node: () => EnrolledNode, fromMs: number): Windows {
  const timesOf = (count: number) =>
    Array.from({ length: (count * windowMs) / stepMs }, (_, i) => (fromMs + i * stepMs) / 1000)
  const valuesOf = (column: number, count: number) =>
    timesOf(count).map((time) => {
      const value = valueAt(column, time * 1000)
      return Number.isNaN(value) ? null : value
    })
  return {
    async send(first, last, interrupt = async () => false) {
      const names = definitions('disk.ops', 'load')
      const { agent, messages } = historyAgent({ ...roost(), identity: node(), metrics: names })
      const acknowledged = () => {
        const answered = new Set(messages.flatMap((one) => (one.type === 'ack' ? [one.sequence] : [])))
        let end = first - 1
        while (answered.has(end + 1)) end += 1
        return end
      }
      const isRefused = () => messages.some(({ type }) => type === 'refused')
      const isOver = () => agent.ended !== undefined || isRefused()
      agent.dial()
      await agent.until(({ welcomed }) => welcomed === 1 || isOver())
      for (let sequence = first; sequence <= last && !isOver(); sequence++) {
        agent.sendBytes(windowFrame({ startMs: fromMs + (sequence - 1) * windowMs, sequence }))
        await agent.until(() => acknowledged() > sequence - inFlight || isOver(), 60_000)
        if (await interrupt(acknowledged())) break
      }
      await agent.until(() => acknowledged() === last || isOver(), 60_000)
      agent.stop()
      // Agents drop what is refused for good, and send all else again.
      expect(messages.filter((one) => one.type === 'refused' && one.permanent === true)).toEqual([])
      return acknowledged()
    },
    async read(count) {
      const range = { start: new Date(fromMs).toISOString(), end: new Date(fromMs + count * windowMs).toISOString() }
      const query = new URLSearchParams({ ...range, metrics: '*', step: '10' }).toString()
      const { body } = await request(roost(), `/api/v1/nodes/${node().id}/metrics/history/?${query}`)
      const { metrics } = body as { metrics: readonly Series[] }
      return metrics.map(({ metric_name, times, values }) => ({ metric_name, times, values }))
    },
    expected: (count) =>
      ['disk.ops', 'load'].map((metric_name, column) => ({
        metric_name,
        times: timesOf(count),
        values: valuesOf(column, count),
      })),
  }
}
