import { hostileValues, jsonText, partsOf, sampleOf, textWith } from './hostile-values.js'
import { agentSchemas } from './protocol-schemas.js'

const names = (count: number, prefix: string) =>
  Array.from({ length: count }, (_, i) => ({ name: `${prefix}.n${i}`, unit: 'count', aggregation: 'sum' }))

/** Messages of every kind with any value in any field, and among them the most expensive ones that are valid. */
export function hostileMessages(): readonly string[] {
  const samples = { sequence: 1, time: Date.now() / 1000, half_hour: Math.floor(Date.now() / 1_800_000) * 1800 }
  const texts = agentSchemas.flatMap(({ schema }) => {
    const sample = sampleOf(schema, samples)
    const parts = partsOf(sample).filter((path) => path.length > 0)
    return parts.flatMap((path) => hostileValues.map((value) => textWith(sample, path, value)))
  })
  const expensive = Array.from({ length: 20 }, (_, i) => [
    jsonText({ type: 'catalogue', id: i, metrics: names(10_000, `rogue.${i}`) }),
    jsonText({ type: 'log', level: 'info', message: 'x'.repeat(900_000) }),
  ]).flat()
  const every = Math.ceil(texts.length / expensive.length)
  return expensive.flatMap((text, i) => [text, ...texts.slice(i * every, (i + 1) * every)])
}
