import { expect, it } from 'vitest'
import { parseProcessState } from './process-states.js'

it.each([
  ['1 (systemd) S 0 1 1', 'S'],
  ['40 (a) R (b) D 1 1', 'D'],
  ['41 (Z) Z 1', 'Z'],
  ['42 () ) T 1', 'T'],
  ['', undefined],
  ['nonsense', undefined],
])('finds the state in %j', (stat, letter) => {
  expect(parseProcessState(stat)).toBe(letter)
})
