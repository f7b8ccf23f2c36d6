import type { ChangeEvent, EventBatch } from '@roost/api-types/rest'
import { expect, it } from 'vitest'
import { changedKeys } from './shown-by.js'

const batch = (more: Partial<EventBatch>): EventBatch => ({
  last: 'p-1',
  events: [],
  list_again: [],
  metrics: [],
  ...more,
})
const event = (more: Partial<ChangeEvent>): ChangeEvent => ({
  topic: 'nodes',
  resource: 'nodes',
  id: 1,
  cluster: 1,
  change: 'changed',
  ...more,
})

it('names what shows the topics of a batch', () => {
  const events = [event({}), event({ topic: 'jobs', resource: 'gateway_deployments' })]
  expect([...changedKeys(batch({ events }))]).toEqual(['nodes', 'summary', 'deployments', 'pending'])
  expect([...changedKeys(batch({ list_again: ['drift'] }))]).toEqual(['drift', 'nodes'])
  expect([...changedKeys(batch({}))]).toEqual([])
})

it('knows resources without a topic by the audit trail', () => {
  const audited = (resource: string) => batch({ events: [event({ topic: 'audit', fields: { resource } })] })
  expect([...changedKeys(audited('alert_silences'))]).toEqual(['audit', 'alerts'])
  expect([...changedKeys(audited('alert_receivers'))]).toEqual(['audit', 'receivers'])
  expect([...changedKeys(audited('devices'))]).toEqual(['audit'])
  expect([...changedKeys(batch({ list_again: ['audit'] }))]).toEqual(
    expect.arrayContaining(['audit', 'alerts', 'receivers', 'clusters', 'access']),
  )
})
