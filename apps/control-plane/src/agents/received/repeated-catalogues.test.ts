import { expect, it } from 'vitest'
import { readMessage, type ReadMessage } from './read-message.js'
import { RepeatedCatalogues } from './repeated-catalogues.js'

const message = (type: string, seed: number, length = 300) =>
  Buffer.from(JSON.stringify({ type, id: seed, metrics: Array.from({ length }, (_, i) => `metric ${seed} ${i}`) }))
const read = (bytes: Buffer) => readMessage(bytes) as ReadMessage

it('is read and checked once for all who say the same', () => {
  const catalogues = new RepeatedCatalogues()
  const first = read(message('catalogue', 1))
  expect(catalogues.find(message('catalogue', 1))).toBeUndefined()
  catalogues.keep(message('catalogue', 1), first)
  expect(catalogues.find(message('catalogue', 1))).toBe(first)
  expect(first.check()).toBe(first.check())
  expect(catalogues.find(message('catalogue', 2))).toBeUndefined()
})

it('is a copy: the bytes may be written over', () => {
  const catalogues = new RepeatedCatalogues()
  const bytes = message('catalogue', 1)
  catalogues.keep(bytes, read(bytes))
  bytes.fill(0)
  expect(catalogues.find(message('catalogue', 1))).toBeDefined()
})

it('is not kept when it is another message, or a small one', () => {
  const catalogues = new RepeatedCatalogues()
  for (const bytes of [message('inventory', 1), message('catalogue', 1, 3)]) {
    catalogues.keep(bytes, read(bytes))
    expect(catalogues.find(bytes)).toBeUndefined()
  }
})

it('keeps a megabyte of those that were heard last', () => {
  const catalogues = new RepeatedCatalogues()
  const each = message('catalogue', 100, 10_000)
  const many = Math.ceil((1 << 20) / each.length)
  for (let seed = 100; seed < 100 + many; seed++) {
    catalogues.keep(message('catalogue', seed, 10_000), read(message('catalogue', seed, 1)))
    catalogues.find(each)
  }
  const kept = Array.from(
    { length: many },
    (_, i) => catalogues.find(message('catalogue', 100 + i, 10_000)) !== undefined,
  )
  expect(kept[0]).toBe(true)
  expect(kept.at(-1)).toBe(true)
  expect(kept.filter(Boolean).length).toBe(many - 1)
})
