import { expect, it } from 'vitest'
import type { UpgradeTarget } from '../api/queries/system.js'
import { waveSizes } from './wave-sizes.js'

const target = (wave: number): UpgradeTarget => ({
  node: '/api/v1/nodes/1/',
  wave,
  state: 'waiting',
  message: '',
  from_version: '0.1.0',
})

it('counts the nodes of each wave, without those that are left out', () => {
  expect(waveSizes([target(2), target(1), target(0), target(2), target(3)])).toEqual([1, 2, 1])
  expect(waveSizes([target(0)])).toEqual([])
})
