import { createHash } from 'node:crypto'
import type { CatalogueMessage, MetricDefinition } from '@roost/api-types/agent'

/** The order of a set of values, with the message that tells it. */
export interface Catalogue {
  readonly id: number
  readonly metrics: readonly MetricDefinition[]
  readonly text: string
}

/** The id follows from the content, so that the same set has the same id over restarts and in buffered frames. */
export function catalogueOf(metrics: readonly MetricDefinition[]): Catalogue {
  const id = createHash('sha256').update(JSON.stringify(metrics)).digest().readUInt32LE(0)
  const message: CatalogueMessage = { type: 'catalogue', id, metrics: [...metrics] }
  return { id, metrics, text: JSON.stringify(message) }
}
