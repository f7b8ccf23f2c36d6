import { createHash } from 'node:crypto'
import { type CatalogueMessage, maxAgentMessageBytes, type MetricDefinition } from '@roost/api-types/agent'

/** The order of a set of values, with the message that tells it. */
export interface Catalogue {
  readonly id: number
  readonly metrics: readonly MetricDefinition[]
  readonly text: string
  /** The server would end a session that sends a larger message. */
  readonly fits: boolean
}

/** The same names in a message of another type are a few bytes longer. */
const largestBytes = maxAgentMessageBytes - 100

/** The id follows from the content, so that the same set has the same id over restarts and in chunks of history. */
export function catalogueOf(metrics: readonly MetricDefinition[]): Catalogue {
  const id = createHash('sha256').update(JSON.stringify(metrics)).digest().readUInt32LE(0)
  const message: CatalogueMessage = { type: 'catalogue', id, metrics: [...metrics] }
  const text = JSON.stringify(message)
  return { id, metrics, text, fits: Buffer.byteLength(text) <= largestBytes }
}
