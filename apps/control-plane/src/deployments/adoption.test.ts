import type { DesiredState } from '@roost/api-types/agent'
import { describe, expect, it } from 'vitest'
import { adopted, adoptionsOf } from './adoption.js'

const item = (fields: Record<string, string>) => ({
  subject: '/etc/exports.d/roost.exports',
  message: 'It was changed.',
  diff: '',
  adoptable: [{ id: 1, fields }],
})
const state = {
  kind: 'gateway',
  shares: [
    { id: 1, name: 'one', access_mode: 'rw' },
    { id: 2, name: 'two', access_mode: 'rw' },
  ],
  storage: null,
} as unknown as DesiredState

describe('what is adopted from a node', () => {
  it('is what a server’s configuration tells of a share', () => {
    expect(adoptionsOf([item({ access_mode: 'ro' })])).toEqual([{ id: 1, fields: { access_mode: 'ro' } }])
  })

  it('is never the place, the password or anything else of a share', () => {
    for (const field of ['node', 'cluster', 'password', 'id', 'enabled', 'protocol', 'objectstore_container'])
      expect(() => adoptionsOf([item({ access_mode: 'ro', [field]: 'x' })])).toThrow('/etc/exports.d/roost.exports')
  })

  it('changes those fields of the state in force, and no other share', () => {
    expect(adopted(state, [{ id: 1, fields: { access_mode: 'ro' } }])).toMatchObject({
      shares: [
        { name: 'one', access_mode: 'ro' },
        { name: 'two', access_mode: 'rw' },
      ],
    })
  })
})
