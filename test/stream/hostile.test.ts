import { randomBytes } from 'node:crypto'
import { deflateRawSync } from 'node:zlib'
import { closeCodes } from '@roost/api-types/agent'
import fc from 'fast-check'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { insertNodes } from '../support/agents/nodes.js'
import { SimulatedAgent } from '../support/agents/simulated-agent.js'
import { newIdentity } from '../support/agents/simulated-identity.js'
import { isOver, isWelcomed, useAgents } from './dial.js'
import { frameOf, opcodes, RawSocket } from './raw-socket.js'
import { startStreamServer } from './stream-server.js'
import type { StreamServer } from './stream-server.js'

const isLong = process.env['ROOST_TEST_LONG'] === '1'

let server: StreamServer
let neighbour: Awaited<ReturnType<typeof connect>>
const raws: RawSocket[] = []
const { connect, newNode } = useAgents(() => server)

beforeAll(async () => {
  server = await startStreamServer()
})
beforeEach(async () => {
  neighbour = await connect()
})
afterEach(() => {
  for (const raw of raws.splice(0)) raw.destroy()
  // Whatever one connection did, another agent's session must not have noticed.
  if (neighbour.agent.ended) throw new Error(`A neighbour was harmed: ${JSON.stringify(neighbour.agent.ended)}`)
})
afterAll(() => server.close())

async function greeted(): Promise<RawSocket> {
  const raw = await RawSocket.openAs(server.url, await newNode())
  raws.push(raw)
  return raw
}

async function stranger(url = server.url): Promise<RawSocket> {
  const raw = await RawSocket.open(url)
  raws.push(raw)
  return raw
}

const text = (value: unknown) => frameOf({ opcode: opcodes.text, payload: Buffer.from(JSON.stringify(value)) })
const bomb = deflateRawSync(Buffer.alloc(10 << 20))

describe('a malformed frame ends its own connection', () => {
  it.each([
    ['a reserved bit', 1002, frameOf({ opcode: opcodes.text, reserved: 2, payload: Buffer.from('{}') })],
    [
      'a compression bomb, although compression was not negotiated',
      1002,
      frameOf({ opcode: opcodes.binary, reserved: 4, payload: bomb }),
    ],
    ['no mask', 1002, frameOf({ opcode: opcodes.text, isMasked: false, payload: Buffer.from('{}') })],
    ['opcode 3', 1002, frameOf({ opcode: 3 })],
    ['opcode 11', 1002, frameOf({ opcode: 11 })],
    ['a fragmented ping', 1002, frameOf({ opcode: opcodes.ping, isFinal: false })],
    ['a ping of 126 bytes', 1002, frameOf({ opcode: opcodes.ping, payload: Buffer.alloc(126) })],
    ['a continuation of nothing', 1002, frameOf({ opcode: opcodes.continuation })],
    ['a close code that is none', 1002, frameOf({ opcode: opcodes.close, payload: Buffer.from([0, 1]) })],
    ['invalid UTF-8', 1007, frameOf({ opcode: opcodes.text, payload: Buffer.from([0xc3, 0x28]) })],
    ['a frame of 2 MiB', 1009, frameOf({ opcode: opcodes.binary, claimedLength: 2 << 20 })],
    ['a frame of 2^62 bytes', 1009, frameOf({ opcode: opcodes.binary, claimedLength: 2 ** 62 })],
  ])('%s', async (_name, code, bytes) => {
    for (const open of [stranger, greeted]) {
      const raw = await open()
      raw.write(bytes)
      expect(await raw.ended()).toBe(code)
    }
  })

  it('a message in more fragments than any message needs', async () => {
    const raw = await greeted()
    raw.write(frameOf({ opcode: opcodes.text, isFinal: false, payload: Buffer.from('{') }))
    const fragment = frameOf({ opcode: opcodes.continuation, isFinal: false, payload: Buffer.from(' ') })
    raw.write(Buffer.concat(Array<Buffer>(16_385).fill(fragment)))
    expect(await raw.ended()).toBe(1008)
  })

  it.each([
    ['text that is no JSON', frameOf({ opcode: opcodes.text, payload: Buffer.from('{"type":') })],
    ['JSON without a type', text({ sequence: 1 })],
    ['half a million brackets', frameOf({ opcode: opcodes.text, payload: Buffer.from('['.repeat(500_000)) })],
    ['5,000 arrays in each other in a field that names a node', nested('log', 'node', 5_000)],
    ['5,000 arrays in each other in a field of a schema', nested('catalogue', 'metrics', 5_000)],
    ['32 levels in a field that is not read', nested('log', 'x', 32)],
    ['a type that is an object with its own toString', text({ type: { toString: 1 } })],
    ['a binary frame without a header', frameOf({ opcode: opcodes.binary, payload: Buffer.from([1, 1, 0]) })],
    ['a metric frame whose time is no number', frameOf({ opcode: opcodes.binary, payload: withoutTime() })],
  ])('%s', async (_name, bytes) => {
    const raw = await greeted()
    raw.write(bytes)
    expect(await raw.ended()).toBe(1008)
  })
})

describe('a connection that costs', () => {
  it.each([
    ['pings', frameOf({ opcode: opcodes.ping })],
    ['pongs', frameOf({ opcode: opcodes.pong })],
    ['messages', text({ type: 'log', level: 'info', message: 'again' })],
  ])('by a flood of %s is closed with 1008', async (_name, bytes) => {
    const raw = await greeted()
    raw.write(Buffer.concat(Array<Buffer>(2_000).fill(bytes)))
    expect(await raw.ended()).toBe(1008)
  })

  it('by saying nothing, or dripping its hello byte by byte, is closed in time', async () => {
    const strict = await startStreamServer({ helloTimeoutMs: 4_000 })
    onTestFinished(() => strict.close())
    const [silent, dripping] = [await stranger(strict.url), await stranger(strict.url)]
    const hello = text({ type: 'hello', node_uuid: 'x'.repeat(1_000) })
    let written = 0
    const drip = setInterval(() => dripping.write(hello.subarray(written, (written += 1))), 20)
    onTestFinished(() => clearInterval(drip))
    expect(await silent.ended()).toBe(closeCodes.helloTimeout)
    expect(await dripping.ended()).toBe(closeCodes.helloTimeout)
  })

  it('by an upgrade to something else is answered in a sentence', async () => {
    const response = await fetch(`${server.url}/agent/v1/stream`)
    expect(response.status).toBe(404)
  })

  it('by coming in hundreds without a hello leaves room for agents', async () => {
    // Long enough for the agent to come while all of the crowd is there, also on a slow machine.
    const small = await startStreamServer({ helloTimeoutMs: 20_000, maxHandshakes: 30, maxHandshakesPerAddress: 20 })
    onTestFinished(() => small.close())
    const [node] = await insertNodes(small.database, small.clusterId, 1)
    const crowd = await Promise.all(Array.from({ length: 20 }, () => RawSocket.open(small.url)))
    raws.push(...crowd)
    const agent = new SimulatedAgent({ url: small.url, identity: node ?? newIdentity(), reconnect: true })
    onTestFinished(() => agent.stop('terminate'))
    agent.dial()
    await agent.until(isOver)
    expect(agent.ended).toMatchObject({ code: closeCodes.tryAgainLater })
    expect(agent.ended?.retryAfterMs).toBeGreaterThan(0)
    await agent.until(isWelcomed)
    const codes = () => crowd.map(({ closeCode }) => closeCode)
    await expect.poll(codes).toEqual(Array(20).fill(closeCodes.helloTimeout))
  })
})

describe('fuzz', () => {
  const anyFrame = fc
    .record({
      opcode: fc.integer({ min: 0, max: 15 }),
      isFinal: fc.boolean(),
      reserved: fc.oneof(
        { weight: 8, arbitrary: fc.constant(0) },
        { weight: 1, arbitrary: fc.integer({ min: 0, max: 7 }) },
      ),
      isMasked: fc.oneof({ weight: 8, arbitrary: fc.constant(true) }, { weight: 1, arbitrary: fc.boolean() }),
      payload: fc.oneof(
        fc.uint8Array({ maxLength: 200 }),
        fc.json().map((json) => Buffer.from(json)),
      ),
    })
    .map(frameOf)
  const anyBytes = fc.oneof(anyFrame, fc.uint8Array({ maxLength: 64 }))

  it(
    'of frames and bytes ends no process and no other session',
    { timeout: isLong ? 3_600_000 : 180_000 },
    async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.array(anyBytes, { minLength: 1, maxLength: 100 }),
          fc.boolean(),
          async (chunks, isGreeted) => {
            const raw = isGreeted ? await greeted() : await stranger()
            for (const chunk of chunks) raw.write(chunk)
            await new Promise((resolve) => setTimeout(resolve, 5))
            raw.destroy()
            expect(neighbour.agent.ended).toBeUndefined()
          },
        ),
        { numRuns: isLong ? 20_000 : 150 },
      )
      neighbour.agent.sendFrame(new Float64Array([1]))
      const { agent } = await connect()
      expect(agent.isConnected).toBe(true)
    },
  )

  const anyMessage = fc.oneof(
    fc.record({
      type: fc.constantFrom(
        'inventory',
        'catalogue',
        'device_usage',
        'log',
        'hello',
        'ping',
        'pong',
        'ack',
        'constructor',
      ),
      sequence: fc.jsonValue(),
      id: fc.jsonValue(),
      time: fc.jsonValue(),
      devices: fc.jsonValue(),
      metrics: fc.jsonValue(),
      inventory: fc.jsonValue(),
      message: fc.jsonValue(),
      level: fc.jsonValue(),
    }),
    fc.object(),
  )

  it('of messages is refused word by word, and nothing reaches a feature under another node', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anyMessage, { minLength: 1, maxLength: 20 }), async (messages) => {
        const { agent } = await connect()
        for (const message of messages) agent.send(message)
        agent.send({ type: 'ping', id: 1 })
        await agent.until((one) => one.pongs > 0 || one.ended !== undefined)
        agent.stop('terminate')
      }),
      { numRuns: isLong ? 5_000 : 60 },
    )
    expect(neighbour.agent.ended).toBeUndefined()
  })
})

function nested(type: string, field: string, depth: number): Buffer {
  const payload = `{"type":"${type}","${field}":${'['.repeat(depth)}${']'.repeat(depth)}}`
  return frameOf({ opcode: opcodes.text, payload: Buffer.from(payload) })
}

function withoutTime(): Buffer {
  const bytes = Buffer.concat([Buffer.from([1, 1]), randomBytes(30)])
  bytes.writeDoubleLE(Number.NaN, 16)
  return bytes
}
