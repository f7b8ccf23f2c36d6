import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { shareSettingRows } from '@roost/api-types/rest'
import { resources } from '@roost/api-types/rpc'
import type { Declaration } from '@roost/api-types/rpc'
import { expect, it } from 'vitest'
import { z } from 'zod'

const path = fileURLToPath(new URL('../../docs/api.md', import.meta.url))
const page = readFileSync(path, 'utf8')
const declared = Object.values<Declaration>(resources)
const protocolNames = { every: 'all', nfs: 'NFS', cifs: 'CIFS' }

interface Part {
  readonly $ref?: string
  readonly $defs?: Readonly<Record<string, Part>>
  readonly properties?: Readonly<Record<string, Part>>
  readonly anyOf?: readonly Part[]
  readonly oneOf?: readonly Part[]
  readonly allOf?: readonly Part[]
}

/** Returns the names of the fields of a schema, those of its variants included. */
function fieldsOf(schema: z.ZodType): readonly string[] {
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

function namesOf(...schemas: readonly (z.ZodType | undefined)[]): string {
  const names = new Set(schemas.flatMap((schema) => (schema === undefined ? [] : fieldsOf(schema))))
  return [...names].map((name) => `\`${name}\``).join(' ')
}

/** Each table between `<!-- <title> -->` and `<!-- end -->`, as the declarations make it. */
const tables: Readonly<Record<string, readonly string[]>> = {
  fields: [
    '| resource | fields of a record | fields that can be set |',
    '|---|---|---|',
    ...declared.map(
      ({ name, record, create, change }) => `| \`${name}\` | ${namesOf(record)} | ${namesOf(create, change)} |`,
    ),
  ],
  'share settings': [
    '| setting | default | protocol | |',
    '|---|---|---|---|',
    ...shareSettingRows.map(([name, { default: absent, protocol, text }]) => {
      const shown = absent === '' ? 'empty' : `\`${String(absent)}\``
      return `| \`${name}\` | ${shown} | ${protocolNames[protocol]} | ${text} |`
    }),
  ],
}

it('the tables of docs/api.md are those of resources.ts and share-settings.ts (write them with -u)', async () => {
  const written = Object.entries(tables).reduce((text, [title, lines]) => {
    const section = new RegExp(`(?<=<!-- ${title} -->\n).*?(?=<!-- end -->)`, 's')
    expect(text).toMatch(section)
    return text.replace(section, () => `${lines.join('\n')}\n`)
  }, page)
  await expect(written).toMatchFileSnapshot(path)
})

it.each(declared)('the row of $name has its fields', ({ record }) => {
  expect(fieldsOf(record)).toContain('id')
})

it.each(declared.filter(({ rest }) => rest !== 'none'))('docs/api.md lists the path of $name', ({ name }) => {
  expect(page, `Add a row for ${name}/ to the section Resources of docs/api.md`).toContain(`\`${name}/`)
})
