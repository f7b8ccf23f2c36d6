import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { resources } from './resources.js'

/** Parameters of every list in REST. */
const ofLists = ['limit', 'offset', 'order_by', 'format']

function fieldsOf(record: unknown): readonly string[] {
  if (record instanceof z.ZodUnion) return record.options.flatMap(fieldsOf)
  return record instanceof z.ZodObject ? Object.keys(record.shape) : []
}

describe('a resource', () => {
  it.each(Object.values(resources).map((one) => [one.name, one] as const))(
    '%s has no field and no filter with the name of a parameter of lists',
    (_name, { record, rules }) => {
      const fields = fieldsOf(record)
      expect(fields).toContain('id')
      expect([...fields, ...Object.keys(rules.filters)].filter((name) => ofLists.includes(name))).toEqual([])
    },
  )
})
