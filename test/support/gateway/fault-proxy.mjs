// Runs inside a test's machine, in front of Swift: `fault-proxy.mjs CONTROL ADDRESS PORT TARGET TARGET_PORT`. It passes bytes on, cuts
// connections by RST as it is asked, and can be unreachable. CONTROL is a Unix socket: a request is one line of JSON, and so is the answer.
// {"cutEvery":n,"seed":s} cuts in one of n exchanges (a request and its answer; 0: none); {"away":"refuse"|"swallow"|null};
// {"cutPath":text} cuts requests whose first line has the text (null: none); {"blockPuts":true} keeps the answers to PUT until it is false;
// {} answers the counters alone.
import { connect, createServer } from 'node:net'

const [, , control, address, port, targetAddress, targetPort] = process.argv
/** @type {Set<Link>} */
const links = new Set()
const counters = { exchanges: 0, connections: 0, cuts: { up: 0, down: 0, body: 0, answer: 0 } }
let away = null
let cutPath = null
let isBlockingPuts = false
let faults = { every: 0, random: randomFrom(0) }
/** The exchange that is cut, of the current block of `every`. */
let chosen = -1
/** Each second fault strikes the body or the time between it and the answer. */
let isBodyNext = true
/** Faults that wait for an exchange with a body. */
const pending = []

/** mulberry32 */
function randomFrom(seed) {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

const between = (low, high) => low + Math.floor(faults.random() * (high - low + 1))

/** Decides what happens to an exchange, once its request's header is known. */
function faultOf(bodyBytes) {
  const index = counters.exchanges++ % faults.every
  if (index === 0) chosen = between(0, faults.every - 1)
  if (index === chosen) {
    const kind = (isBodyNext ? ['body', 'answer'] : ['up', 'down'])[between(0, 1)]
    isBodyNext = !isBodyNext
    if (kind === 'up' || kind === 'down') return { kind, bytes: between(1, 1500) }
    pending.push(kind)
  }
  const kind = bodyBytes > 0 ? pending.shift() : undefined
  return kind === undefined ? null : { kind, bytes: between(1, bodyBytes - 1) }
}

const headerEnd = Buffer.from('\r\n\r\n')

class Link {
  constructor(client) {
    this.client = client
    this.target = null
    /** Of the request, as far as it has come; null once it is complete. */
    this.header = Buffer.alloc(0)
    /** Of the request's body, not sent yet. */
    this.bodyLeft = 0
    this.isAnswered = false
    this.fault = null
    counters.connections += 1
    links.add(this)
    client.on('error', () => this.end())
    client.on('close', () => this.end())
    if (away === null) this.open()
    else client.pause()
  }

  open() {
    this.target = connect({ host: targetAddress, port: Number(targetPort), noDelay: true })
    this.target.on('error', () => this.end())
    this.target.on('close', () => this.client.end())
    this.client.on('end', () => this.target.end())
    this.client.on('data', (chunk) => this.up(chunk))
    this.target.on('data', (chunk) => this.down(chunk))
  }

  up(chunk) {
    if (this.header === null && this.bodyLeft <= 0 && this.isAnswered) this.header = Buffer.alloc(0)
    if (this.header === null) return this.passBody(chunk)
    this.header = Buffer.concat([this.header, chunk])
    const end = this.header.indexOf(headerEnd) + headerEnd.length
    if (end < headerEnd.length) return undefined
    const [head, rest] = [this.header.subarray(0, end), this.header.subarray(end)]
    this.header = null
    this.isAnswered = false
    this.bodyLeft = Number(/\r\ncontent-length: *(\d+)/i.exec(head.toString('latin1'))?.[1] ?? 0)
    this.fault ??= faultOf(this.bodyLeft)
    return this.passRequest(head, rest)
  }

  passRequest(head, rest) {
    const requestLine = head.toString('latin1', 0, head.indexOf('\r\n'))
    if (cutPath !== null && requestLine.includes(cutPath)) return this.end()
    if (isBlockingPuts && requestLine.startsWith('PUT ')) this.target.pause()
    this.pass(head, this.target, 'up', this.client)
    return this.passBody(rest)
  }

  passBody(chunk) {
    if (chunk.length === 0) return
    this.bodyLeft -= chunk.length
    this.pass(chunk, this.target, this.fault?.kind === 'body' ? 'body' : 'up', this.client)
  }

  down(chunk) {
    if (this.fault?.kind === 'answer' && this.bodyLeft <= 0) return this.cut()
    this.isAnswered = true
    return this.pass(chunk, this.client, 'down', this.target)
  }

  /** Writes to one side, up to the byte at which the connection is cut. */
  pass(chunk, to, direction, from) {
    const { fault } = this
    if (to.destroyed) return
    if (fault?.kind === direction) {
      if (chunk.length >= fault.bytes) {
        to.write(chunk.subarray(0, fault.bytes))
        this.cut()
        return
      }
      fault.bytes -= chunk.length
    }
    if (to.write(chunk)) return
    from.pause()
    to.once('drain', () => away === 'swallow' || from.resume())
  }

  pause() {
    this.client.pause()
    this.target?.pause()
  }

  resume() {
    if (this.target === null) this.open()
    this.client.resume()
    this.target.resume()
  }

  cut() {
    counters.cuts[this.fault.kind] += 1
    this.end()
  }

  end() {
    if (!links.delete(this)) return
    this.client.resetAndDestroy()
    this.target?.resetAndDestroy()
  }
}

let server = null
function listen() {
  return new Promise((resolve) => {
    server = createServer({ allowHalfOpen: true, noDelay: true }, (client) => new Link(client))
    server.listen(Number(port), address, resolve)
  })
}

async function setAway(kind) {
  away = kind
  if (kind === 'refuse') {
    server?.close()
    server = null
    for (const link of links) link.end()
    return
  }
  if (server === null) await listen()
  for (const link of links)
    if (kind === 'swallow') link.pause()
    else link.resume()
}

async function answer(line) {
  const wish = JSON.parse(line)
  if (wish.cutEvery !== undefined) faults = { every: wish.cutEvery, random: randomFrom(wish.seed ?? 0) }
  if (wish.away !== undefined) await setAway(wish.away)
  if (wish.cutPath !== undefined) cutPath = wish.cutPath
  if (wish.blockPuts !== undefined) {
    isBlockingPuts = wish.blockPuts
    if (!isBlockingPuts) for (const link of links) link.resume()
  }
  return counters
}

await listen()
createServer((client) => {
  client.on('error', () => {})
  let line = ''
  client.on('data', (chunk) => {
    line += String(chunk)
    if (line.endsWith('\n')) void answer(line).then((counters) => client.end(`${JSON.stringify(counters)}\n`))
  })
}).listen(control)
