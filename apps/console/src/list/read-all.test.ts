import { expect, it } from 'vitest'
import { readAll } from './read-all.js'

interface Row {
  readonly id: number
}

const rows = (count: number): Row[] => Array.from({ length: count }, (_, i) => ({ id: i + 1 }))

/** Answers pages of a list that `change` changes after its first page. */
function listOf(list: Row[], change: (list: Row[]) => void = () => {}) {
  return async ({ limit, offset }: { readonly limit: number; readonly offset: number }) => {
    const page = { objects: list.slice(offset, offset + limit), total: list.length }
    if (offset === 0) change(list)
    return page
  }
}

it('reads all pages, and no row more than it may', async () => {
  expect(await readAll(listOf(rows(2500)), 5000)).toEqual({ rows: rows(2500), total: 2500, isMoved: false })
  expect(await readAll(listOf(rows(2500)), 1500)).toEqual({ rows: rows(1500), total: 2500, isMoved: false })
  expect(await readAll(listOf([]), 1500)).toEqual({ rows: [], total: 0, isMoved: false })
})

it('has each row once, and says that rows moved while it read them', async () => {
  const isNew = await readAll(
    listOf(rows(1500), (list) => list.unshift({ id: 0 })),
    5000,
  )
  expect(isNew).toEqual({ rows: rows(1500), total: 1501, isMoved: true })
  const isGone = await readAll(
    listOf(rows(1500), (list) => list.shift()),
    5000,
  )
  expect(isGone).toMatchObject({ total: 1499, isMoved: true })
  const isElsewhere = await readAll(
    listOf(rows(1500), (list) => list.unshift(...list.splice(1200, 1))),
    5000,
  )
  expect(isElsewhere.rows).toHaveLength(1499)
  expect(isElsewhere).toMatchObject({ total: 1500, isMoved: true })
})
