import type { ServerMessage } from '@roost/api-types/agent'
import { closeCodes } from '@roost/api-types/agent'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { waitTimeoutMs } from '../support/clock/wait-until.js'
import { simulatedInventory } from '../support/agents/simulated-inventory.js'
import { isOver, useAgents } from './dial.js'
import { startStreamServer } from './stream-server.js'
import type { StreamServer } from './stream-server.js'

let server: StreamServer
const { connect } = useAgents(() => server)
beforeAll(async () => {
  server = await startStreamServer()
})
afterAll(() => server.close())

const now = () => Date.now() / 1000
const device = (bytes: unknown) => ({
  key: 'd',
  status: 'ok',
  figures: { total_bytes: bytes, free_bytes: 1, available_bytes: 1 },
})
const usage = { type: 'device_usage', time: now() }
const applied = { type: 'applied', sequence: 1, kind: 'gateway', outcome: 'applied', message: '', files: [] }
const halfHour = { type: 'usage', sequence: 1, half_hour: 1800, storage: [], transfer: [], log_read: null }
const inventory = simulatedInventory('n')
const withHost = (host: object) => ({
  type: 'inventory',
  sequence: 1,
  inventory: { ...inventory, host: { ...inventory.host, ...host } },
})

describe('a number that is out of its bounds is refused', () => {
  it.each([
    ['a device larger than any disk', { ...usage, devices: [device(2 ** 50 + 1)] }],
    ['bytes whose sum would be infinite', { ...usage, devices: [device(1e308)] }],
    ['half a byte', { ...usage, devices: [device(0.5)] }],
    ['memory below zero', withHost({ memory_bytes: -1 })],
    ['more cores than a database counts', withHost({ cpu_cores: 2 ** 31 })],
    [
      'an index of a policy that is no index',
      {
        ...halfHour,
        storage: [{ account: 'AUTH_a', policy: 2 ** 31, bytes_used: 1, container_count: 1, object_count: 1, slots: 1 }],
      },
    ],
    ['a generation above 2^30', { ...applied, generation: 2 ** 30 + 1, in_force: 1 }],
    ['a generation in force above 2^30', { ...applied, generation: 1, in_force: 2 ** 31 }],
    ['half a generation', { ...applied, generation: 1.5, in_force: 1 }],
    ['progress of a generation below zero', { type: 'progress', kind: 'gateway', generation: -1, state: 'planned' }],
    ['drift from a generation above 2^30', { type: 'drift', kind: 'gateway', in_force: 2 ** 40, items: [] }],
    ['half a sequence', { ...applied, sequence: 0.5, generation: 1, in_force: 1 }],
  ])('%s', async (_name, message) => {
    const messages: ServerMessage[] = []
    const { agent } = await connect({ onMessage: (one) => messages.push(one) })
    agent.send(message)
    agent.send({ type: 'ping', id: 9 })
    await vi.waitFor(() => expect(messages).toContainEqual({ type: 'pong', id: 9 }), waitTimeoutMs)
    expect(messages.find(({ type }) => type === 'refused')).toMatchObject({ of: message.type })
    expect(messages.filter(({ type }) => type === 'ack')).toEqual([])
  })

  it('but the largest that is allowed is accepted', async () => {
    const { agent, node } = await connect()
    agent.send({ ...usage, devices: [device(2 ** 50)] })
    agent.send({ ...applied, generation: 2 ** 30, in_force: 2 ** 30 })
    await agent.until((one) => one.acknowledged === 1)
    expect(server.heard.usages.filter(({ nodeId }) => nodeId === node.id)).toHaveLength(1)
  })
})

describe('a reading whose time is more than a day off', () => {
  it.each([
    ['frame', 2 * 86_400],
    ['frame', -2 * 86_400],
    ['device_usage', 2 * 86_400],
    ['device_usage', -2 * 86_400],
  ])('ends the session, so that the clock is measured again (%s, %i s)', async (kind, ahead) => {
    const { agent, node } = await connect()
    if (kind === 'frame') agent.sendFrame(new Float64Array([1]), now() + ahead)
    else agent.send({ ...usage, time: now() + ahead, devices: [] })
    await agent.until(isOver)
    expect(agent.ended).toMatchObject({ code: closeCodes.policyViolation })
    const { frames, usages } = server.heard
    expect([...frames, ...usages].filter(({ nodeId }) => nodeId === node.id)).toEqual([])
  })
})
