import { Readable } from 'node:stream'
import { setImmediate as yieldToLoop } from 'node:timers/promises'
import type { FastifyInstance, FastifyReply } from 'fastify'

/** Characters that are made and sent between two iterations of the event loop. */
const sliceLength = 128 * 1024

/**
 * Answers JSON that is made piece by piece: a short one at once, a long one as a stream that yields to the event
 * loop after each slice and is only made as fast as the client reads.
 */
export function sendSlices(reply: FastifyReply, texts: Iterable<string>): FastifyReply {
  return sendPieces(reply, gather(texts))
}

/** Does the same with JSON whose pieces are slices already. */
export function sendPieces(reply: FastifyReply, pieces: Iterable<Buffer>): FastifyReply {
  const slices = pieces[Symbol.iterator]()
  const first = slices.next().value ?? Buffer.alloc(0)
  const { value: second, done = false } = slices.next()
  if (done && first.length < sliceLength) return sendJson(reply, first)
  const all = inSteps(second === undefined ? [first] : [first, second], { [Symbol.iterator]: () => slices })
  return sendJson(reply, Readable.from(all, { objectMode: false, highWaterMark: 4 * sliceLength }))
}

/**
 * Sends complete long answers in slices, too. Otherwise TLS would accept one at once, and a slow reader looked like
 * one that reads nothing.
 */
export function sliceLongAnswers(app: FastifyInstance): void {
  app.addHook('onSend', async (_request, reply, payload) => {
    if (typeof payload !== 'string' || payload.length < sliceLength) return payload
    const bytes = Buffer.from(payload)
    reply.header('content-length', bytes.length)
    return Readable.from(slicesOf(bytes), { objectMode: false })
  })
}

function* slicesOf(bytes: Buffer): Generator<Buffer> {
  for (let from = 0; from < bytes.length; from += sliceLength) yield bytes.subarray(from, from + sliceLength)
}

/** Sends JSON: no schema serializes its rows again. */
function sendJson(reply: FastifyReply, json: Buffer | Readable): FastifyReply {
  return reply.type('application/json; charset=utf-8').send(json)
}

function* gather(texts: Iterable<string>): Generator<Buffer> {
  let gathered = ''
  for (const text of texts) {
    gathered += text
    if (gathered.length < sliceLength) continue
    yield Buffer.from(gathered)
    gathered = ''
  }
  if (gathered !== '') yield Buffer.from(gathered)
}

async function* inSteps(first: readonly Buffer[], rest: Iterable<Buffer>): AsyncGenerator<Buffer> {
  yield* first
  for (const slice of rest) {
    await yieldToLoop()
    yield slice
  }
}
