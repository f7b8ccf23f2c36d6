import { expect, it } from 'vitest'
import { matchingNames, sourcesOf } from './sources.js'

it('compares the nodes of an address, at most six, and shows the cluster without one', () => {
  expect(sourcesOf(undefined, 1)).toEqual([{ of: 'cluster', id: 1 }])
  expect(sourcesOf('7, 9,7,x', 1)).toEqual([
    { of: 'node', id: 7 },
    { of: 'node', id: 9 },
  ])
  expect(sourcesOf('1,2,3,4,5,6,7', 1)).toHaveLength(6)
})

it('counts the names that patterns match, of which only the star is special', () => {
  const names = ['load.shortterm', 'load.midterm', 'loadxmidterm']
  expect(matchingNames(names, ['load.*'])).toEqual(['load.shortterm', 'load.midterm'])
})
