import { pipeline, Readable } from 'node:stream'
import { promisify } from 'node:util'
import { brotliCompress, constants, createBrotliCompress, createGzip, gzip } from 'node:zlib'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Its answers may contain a secret, so that they are never compressed: their length would reveal a part of it. */
    readonly secretAnswer?: boolean
  }
}

/** Smaller answers gain nothing. */
const leastBytes = 1024
const compressible = /^(?:application\/json|text\/csv|text\/plain)\b/

/** A fast brotli of little memory: its default is for files that are compressed once. */
const brotliParams = { [constants.BROTLI_PARAM_QUALITY]: 4, [constants.BROTLI_PARAM_LGWIN]: 18 }

/** In the order of preference. Streams are flushed after each piece, so that a row arrives when it was read. */
const codings = {
  br: {
    compress: (bytes: Buffer) => promisify(brotliCompress)(bytes, { params: brotliParams }),
    stream: () => createBrotliCompress({ params: brotliParams, flush: constants.BROTLI_OPERATION_FLUSH }),
  },
  gzip: {
    compress: (bytes: Buffer) => promisify(gzip)(bytes),
    stream: () => createGzip({ flush: constants.Z_SYNC_FLUSH }),
  },
} as const
type Coding = keyof typeof codings

/** Compresses answers above 1 kB where the client asks for it. Register it after the hooks that cut answers into slices. */
export function compressAnswers(app: FastifyInstance): void {
  app.addHook('onSend', async (request, reply, payload) => {
    if (!isCompressible(request, reply)) return payload
    reply.header('vary', 'Accept-Encoding')
    const coding = codingOf(request.headers['accept-encoding'])
    if (coding === undefined) return payload
    if (typeof payload === 'string' || Buffer.isBuffer(payload)) return compressed(reply, coding, Buffer.from(payload))
    return payload instanceof Readable ? compressedStream(reply, coding, payload) : payload
  })
}

function isCompressible(request: FastifyRequest, reply: FastifyReply): boolean {
  const { secretAnswer = false } = request.routeOptions.config
  const isComplete = reply.statusCode !== 206 && !reply.hasHeader('content-encoding')
  const type = String(reply.getHeader('content-type') ?? '')
  return request.method !== 'HEAD' && !secretAnswer && isComplete && compressible.test(type)
}

/** Returns the coding that the client likes most. */
function codingOf(header: string | string[] | undefined): Coding | undefined {
  const weights = new Map(
    String(header ?? '')
      .toLowerCase()
      .split(',')
      .map((entry) => {
        const [name = '', ...parameters] = entry.split(';').map((part) => part.trim())
        const weight = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2)
        return [name, weight === undefined ? 1 : Number(weight) || 0] as const
      }),
  )
  const weightOf = (coding: Coding) => weights.get(coding) ?? weights.get('*') ?? 0
  const [best] = (Object.keys(codings) as Coding[]).toSorted((one, other) => weightOf(other) - weightOf(one))
  return best !== undefined && weightOf(best) > 0 ? best : undefined
}

async function compressed(reply: FastifyReply, coding: Coding, bytes: Buffer): Promise<Buffer> {
  if (bytes.length <= leastBytes) return bytes
  reply.header('content-encoding', coding).removeHeader('content-length')
  return codings[coding].compress(bytes)
}

/** Its length is unknown: the first pieces show whether it is worth it. */
async function compressedStream(reply: FastifyReply, coding: Coding, source: Readable): Promise<Buffer | Readable> {
  const pieces: AsyncIterator<Buffer | string> = source[Symbol.asyncIterator]()
  const first: Buffer[] = []
  for (let length = 0; length <= leastBytes;) {
    const { done, value } = await pieces.next()
    if (done === true) return Buffer.concat(first)
    const piece = Buffer.from(value)
    first.push(piece)
    length += piece.length
  }
  reply.header('content-encoding', coding).removeHeader('content-length')
  const all = Readable.from(chain(first, pieces), { objectMode: false })
  // The reply reports an error of the stream that it gets, which this one passes on.
  return pipeline(all, codings[coding].stream(), () => {})
}

async function* chain(first: readonly Buffer[], rest: AsyncIterator<Buffer | string>): AsyncGenerator<Buffer | string> {
  try {
    yield* first
    for (;;) {
      const { done, value } = await rest.next()
      if (done === true) return
      yield value
    }
  } finally {
    await rest.return?.()
  }
}
