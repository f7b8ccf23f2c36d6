import { describe, expect, it } from 'vitest'
import type { z } from 'zod'
import { shareChangeSchema } from '../rest/index.js'
import { resources } from './resources.js'
import type { Declaration } from './resources.js'
import { appRouter } from './router.js'

interface Schema {
  readonly def: Readonly<Record<string, unknown>> & { readonly type: string }
}

/** Texts that a pattern may let through up to the NUL, in its middle or at its end. */
const candidates = [
  '\0',
  'a\0',
  'a\0b',
  'abcdefgh\0ijklmnopqrstuvwxyz',
  '10.0.0.1\0',
  '/api/v1/nodes/1/\0',
  '0664\0',
  '7\0',
]
/** Filters and orders: not stored, and refused by the rules of the resource (test/contract/{hostile-input,facets}.test.ts). */
const byRules = /^(?:\w+\.)?\w+\.(?:list\.(?:filters|order_by)|facets\.filters)/

interface Leaf {
  readonly path: string
  readonly schema: Schema
}

function isText({ def }: Schema): boolean {
  return def.type === 'string' || (def.type === 'union' && (def['options'] as Schema[]).some(isText))
}

function children({ def }: Schema): readonly (readonly [step: string, child: Schema])[] {
  const parts = ['innerType', 'in', 'left', 'right', 'valueType', 'element', 'keyType'] as const
  return [
    ...Object.entries((def['shape'] ?? {}) as Readonly<Record<string, Schema>>),
    ...((def['options'] ?? []) as Schema[]).map((option) => ['', option] as const),
    ...parts.flatMap((part) => (def[part] === undefined ? [] : [['', def[part] as Schema] as const])),
  ]
}

/** Returns every schema that accepts a text. A union of texts and numbers is one: it is checked as such. */
function leavesOf(schema: Schema, path: string): readonly Leaf[] {
  if (isText(schema)) return [{ path, schema }]
  return children(schema).flatMap(([step, child]) => leavesOf(child, step === '' ? path : `${path}.${step}`))
}

const accepts = ({ schema }: Leaf) =>
  candidates
    .filter((text) => (schema as unknown as z.ZodType).safeParse(text).success)
    .map((text) => JSON.stringify(text))

/** tRPC keeps the schemas of a procedure here. */
const internals = '_def'
type Procedures = Readonly<Record<string, { readonly [internals]: { readonly inputs: readonly Schema[] } }>>
const procedures = Object.entries(appRouter[internals].procedures as unknown as Procedures)

describe('no text field accepts the character NUL', () => {
  it.each(Object.values<Declaration>(resources))('in the bodies of $name', ({ name, create, change }) => {
    const bodies = [create, change].filter((body) => body !== undefined)
    expect(
      bodies.flatMap((body) => leavesOf(body as unknown as Schema, name)).filter((leaf) => accepts(leaf).length > 0),
    ).toEqual([])
  })

  it.each(['nfs', 'cifs'] as const)('in a change of a share of %s', (protocol) => {
    const leaves = leavesOf(shareChangeSchema(protocol, {}) as unknown as Schema, protocol)
    expect(leaves.map(({ path }) => path)).toContain(`${protocol}.name`)
    expect(leaves.filter((leaf) => accepts(leaf).length > 0)).toEqual([])
  })

  it('in the inputs of tRPC', () => {
    const leaves = procedures.flatMap(
      ([
        name,
        {
          [internals]: { inputs },
        },
      ]) => inputs.flatMap((input) => leavesOf(input, name)),
    )
    const free = leaves.filter(({ path }) => !byRules.test(path))
    expect(free.map(({ path }) => path)).toEqual(
      expect.arrayContaining(['gatewayDeployments.create.plan_id', 'apiKeys.create.label', 'metrics.pollNode.metrics']),
    )
    expect(free.filter((leaf) => accepts(leaf).length > 0).map(({ path }) => path)).toEqual([])
  })
})
