import { expect, it } from 'vitest'
import type { RawMessage } from './raw-message.js'
import { RepeatedCatalogues } from './repeated-catalogues.js'

const message = (type: string, seed: number, length = 300) =>
  Buffer.from(JSON.stringify({ type, id: seed, metrics: Array.from({ length }, (_, i) => `metric ${seed} ${i}`) }))
const read = (bytes: Buffer) => JSON.parse(bytes.toString()) as RawMessage

it('is read and checked once for all who say the same', () => {
  const catalogues = new RepeatedCatalogues()
  const said = read(message('catalogue', 1))
  let checks = 0
  const check = () => ({ checks: ++checks })
  expect(catalogues.find(message('catalogue', 1))).toBeUndefined()
  catalogues.keep(message('catalogue', 1), said)
  expect(catalogues.find(message('catalogue', 1))).toBe(said)
  expect([catalogues.checked(said, check), catalogues.checked(said, check)]).toEqual([{ checks: 1 }, { checks: 1 }])
  expect(catalogues.find(message('catalogue', 2))).toBeUndefined()
})

it('is a copy: the bytes may be written over', () => {
  const catalogues = new RepeatedCatalogues()
  const bytes = message('catalogue', 1)
  catalogues.keep(bytes, read(bytes))
  bytes.fill(0)
  expect(catalogues.find(message('catalogue', 1))).toBeDefined()
})

it('is checked each time where it is not kept: other messages, and small ones', () => {
  const catalogues = new RepeatedCatalogues()
  for (const bytes of [message('inventory', 1), message('catalogue', 1, 3)]) {
    const said = read(bytes)
    catalogues.keep(bytes, said)
    expect(catalogues.find(bytes)).toBeUndefined()
    let checks = 0
    for (let i = 0; i < 2; i++) catalogues.checked(said, () => (checks += 1))
    expect(checks).toBe(2)
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
