import type { ChangeEvent, EventTopic } from '@roost/api-types/rest'
import { expect, it } from 'vitest'
import { ChangeLog } from './change-log.js'

const nodes: ReadonlySet<EventTopic> = new Set(['nodes'])
const change = (id: number, more: Partial<ChangeEvent> = {}): ChangeEvent => ({
  topic: 'nodes',
  resource: 'nodes',
  id,
  cluster: 1,
  change: 'changed',
  ...more,
})

it('answers each record once, with the fields of all its changes', () => {
  const log = new ChangeLog()
  log.add([change(1, { change: 'created', fields: { state: 'pending' } })], false)
  log.add([change(1, { fields: { state: 'online' } }), change(2)], false)
  const all = [change(1, { change: 'created', fields: { state: 'online' } }), change(2)]
  expect(log.since(0, nodes, undefined)).toEqual({ changes: all, listAgain: [] })
  expect(log.since(1, nodes, undefined).changes).toEqual([change(1, { fields: { state: 'online' } }), change(2)])
  log.add([change(1, { change: 'removed' })], false)
  expect(log.since(0, nodes, undefined).changes).toEqual([change(1, { change: 'removed' }), change(2)])
  expect(log.since(3, nodes, undefined)).toEqual({ changes: [], listAgain: [] })
})

it('answers one cluster with what belongs to none', () => {
  const log = new ChangeLog()
  log.add([change(1), change(2, { cluster: 2 }), change(3, { cluster: null })], false)
  expect(log.since(0, nodes, 1).changes.map(({ id }) => id)).toEqual([1, 3])
})

it('has a reader list again that is too far behind, or where something was missed', () => {
  const log = new ChangeLog()
  for (let id = 1; id <= 601; id++) log.add([change(id)], false)
  expect(log.since(0, nodes, undefined).listAgain).toEqual(['nodes'])
  expect(log.since(600, nodes, undefined).changes).toEqual([change(601)])
  const before = log.version
  log.add([], true)
  expect(log.since(before, nodes, undefined)).toEqual({ changes: [], listAgain: ['nodes'] })
  expect(log.since(-1, nodes, undefined).listAgain).toEqual(['nodes'])
})

it('has a topic listed again that has more than 100 changes, and not the others', () => {
  const log = new ChangeLog()
  log.add([...Array.from({ length: 101 }, (_, id) => change(id)), change(1, { topic: 'drift' })], false)
  expect(log.since(0, new Set<EventTopic>(['nodes', 'drift']), undefined)).toEqual({
    changes: [change(1, { topic: 'drift' })],
    listAgain: ['nodes'],
  })
})
