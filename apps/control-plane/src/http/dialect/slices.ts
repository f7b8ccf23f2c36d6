import { Readable } from 'node:stream'
import { setImmediate as yieldToLoop } from 'node:timers/promises'
import type { FastifyInstance, FastifyReply } from 'fastify'

/** Characters that are made and sent between two iterations of the event loop. */
const sliceLength = 128 * 1024

/**
 * Answers JSON that is made piece by piece: a short one at once, a long one as a stream that yields to the event
 * loop after each slice and is only made as fast as the client reads.
 */
export function sendSlices(reply: FastifyReply, pieces: Iterable<string>): FastifyReply {
  const slices = gather(pieces)
  const first = slices.next().value ?? ''
  if (first.length < sliceLength) return sendJson(reply, first)
  return sendJson(reply, Readable.from(inSteps(first, slices), { objectMode: false, highWaterMark: 4 * sliceLength }))
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

/** Sends JSON text: no schema serializes its rows again. */
function sendJson(reply: FastifyReply, json: string | Readable): FastifyReply {
  return reply.type('application/json; charset=utf-8').send(json)
}

function* gather(pieces: Iterable<string>): Generator<string, undefined> {
  let text = ''
  for (const piece of pieces) {
    text += piece
    if (text.length < sliceLength) continue
    yield text
    text = ''
  }
  if (text !== '') yield text
}

async function* inSteps(first: string, rest: Iterable<string>): AsyncGenerator<Buffer> {
  yield Buffer.from(first)
  for (const slice of rest) {
    await yieldToLoop()
    yield Buffer.from(slice)
  }
}
