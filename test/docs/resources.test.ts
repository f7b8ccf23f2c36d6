import { readFileSync } from 'node:fs'
import { resources } from '@roost/api-types/rpc'
import type { Declaration } from '@roost/api-types/rpc'
import { expect, it } from 'vitest'
import { z } from 'zod'

const page = readFileSync(new URL('../../docs/api.md', import.meta.url), 'utf8')
const section = /^## Fields$(.*?)^## /ms.exec(page)?.[1] ?? ''
const declared = Object.values<Declaration>(resources)

interface Part {
  readonly $ref?: string
  readonly $defs?: Readonly<Record<string, Part>>
  readonly properties?: Readonly<Record<string, Part>>
  readonly anyOf?: readonly Part[]
  readonly oneOf?: readonly Part[]
  readonly allOf?: readonly Part[]
}

/** The names of the fields of a schema, those of its variants included. */
function fieldsOf(schema: Declaration['record']): readonly string[] {
  const root = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as Part
  const collect = (part: Part): string[] => {
    const {
      properties = {},
      anyOf = [],
      oneOf = [],
      allOf = [],
    } = part.$ref === undefined ? part : (root.$defs?.[part.$ref.replace('#/$defs/', '')] ?? {})
    return [...Object.keys(properties), ...[...anyOf, ...oneOf, ...allOf].flatMap(collect)]
  }
  return collect(root)
}

it.each(declared)('docs/api.md names every field of $name', ({ name, record, create, change }) => {
  const row = section.split('\n').find((line) => line.startsWith(`| \`${name}\` |`)) ?? ''
  expect(row, `add a row for ${name} to the table of fields`).not.toBe('')
  const fields = [record, create, change].flatMap((schema) => (schema === undefined ? [] : fieldsOf(schema)))
  expect(fields).toContain('id')
  expect(fields.filter((field) => !row.includes(`\`${field}\``))).toEqual([])
})

it.each(declared.filter(({ rest }) => rest !== 'none'))('docs/api.md lists the path of $name', ({ name }) => {
  expect(page).toContain(`\`${name}/`)
})
