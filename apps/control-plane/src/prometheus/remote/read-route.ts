import { Readable } from 'node:stream'
import { setImmediate as yieldToLoop } from 'node:timers/promises'
import { concurrencyLimit } from '@roost/runtime'
import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { describeRefusals } from '../../http/dialect/answers.js'
import { lengthPrefix } from './protobuf.js'
import { answerQueries, requireHistory } from './read.js'
import type { ReadSeries, RemoteReadOptions } from './read.js'
import { readRequest } from './read-request.js'
import { encodeSamples, sampleBytes } from './series.js'
import { snappyLiterals, uncompress } from './snappy.js'

const mediaType = 'application/x-protobuf'
/** Of a request, uncompressed. */
const mostBytes = 1_048_576
/** Each may have five million samples in memory. */
const readsAtOnce = 2

const schema = {
  tags: ['prometheus'],
  summary: 'History for the remote_read of Prometheus: protobuf in snappy, answered with samples',
  operationId: 'post_prometheus_api_v1_read',
  response: {
    200: { description: 'A ReadResponse', content: { [mediaType]: { schema: z.string() } } },
    ...describeRefusals([400, 401, 413, 415, 429, 500, 503]),
  },
}

export interface RemoteRead extends RemoteReadOptions {
  readonly isOn: boolean
}

/** Mounts the endpoint that Prometheus reads history from. */
export async function mountRemoteRead(app: FastifyInstance, options: RemoteRead): Promise<void> {
  const gate = concurrencyLimit(readsAtOnce)
  await app.register(async (scope) => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', { parseAs: 'buffer' }, async (_request: unknown, bytes: Buffer) => bytes)
    // It only reads, so that operators who may only read can use it.
    const config = { mediaType, ownRoles: true }
    scope.post('/prometheus/api/v1/read', { schema, config }, async ({ body }, reply) => {
      requireHistory(options.isOn)
      const queries = readRequest(uncompress(body instanceof Buffer ? body : Buffer.alloc(0), mostBytes))
      const answers = await gate(() => answerQueries(options, queries))
      const length = answers.reduce((sum, series) => sum + resultLength(series), 0)
      return reply
        .header('content-encoding', 'snappy')
        .type(mediaType)
        .send(Readable.from(inSteps(snappyLiterals(length, encode(answers))), { objectMode: false }))
    })
  })
}

const seriesLength = ({ labels, samples }: ReadSeries) => labels.length + samples.times.length * sampleBytes
const fieldLength = (length: number) => lengthPrefix(1, length).length + length
const listLength = (series: readonly ReadSeries[]) =>
  series.reduce((sum, one) => sum + fieldLength(seriesLength(one)), 0)
const resultLength = (series: readonly ReadSeries[]) => fieldLength(listLength(series))

/** Encodes the message `ReadResponse`: a result for each query, with its series. */
function* encode(answers: readonly (readonly ReadSeries[])[]): Generator<Buffer> {
  for (const series of answers) {
    yield lengthPrefix(1, listLength(series))
    for (const one of series) {
      yield Buffer.concat([lengthPrefix(1, seriesLength(one)), one.labels])
      yield encodeSamples(one.samples)
    }
  }
}

/** Gathers small pieces, and lets other requests be served between large ones. */
async function* inSteps(pieces: Iterable<Buffer>): AsyncGenerator<Buffer> {
  let gathered: Buffer[] = []
  let bytes = 0
  for (const piece of pieces) {
    gathered.push(piece)
    bytes += piece.length
    if (bytes < 131_072) continue
    yield Buffer.concat(gathered)
    gathered = []
    bytes = 0
    await yieldToLoop()
  }
  yield Buffer.concat(gathered)
}
