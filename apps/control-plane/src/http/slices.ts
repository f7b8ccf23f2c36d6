import { Readable } from 'node:stream'
import { setImmediate as turn } from 'node:timers/promises'
import type { FastifyReply } from 'fastify'
import { sendJson } from './route.js'

/** Characters that are made and sent between two turns of the event loop. */
const sliceLength = 128 * 1024

/**
 * Answers JSON that is made piece by piece: a short one at once, a long one as a stream that lets others have their
 * turn after each slice, and that is only made as fast as the client reads.
 */
export function sendSlices(reply: FastifyReply, pieces: Iterable<string>): FastifyReply {
  const slices = gather(pieces)
  const first = slices.next().value ?? ''
  if (first.length < sliceLength) return sendJson(reply, first)
  return sendJson(reply, Readable.from(inTurns(first, slices), { objectMode: false, highWaterMark: 4 * sliceLength }))
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

async function* inTurns(first: string, rest: Iterable<string>): AsyncGenerator<Buffer> {
  yield Buffer.from(first)
  for (const slice of rest) {
    await turn()
    yield Buffer.from(slice)
  }
}
