import { createSpaceRule } from '@roost/control-plane/dist/history/storage/retention.js'
import { expect, it } from 'vitest'

it('no history is stored while less than a tenth of the disk is available, until 11 % are', () => {
  let availableBytes: number | undefined = 100
  const obstacle = createSpaceRule(() =>
    availableBytes === undefined ? undefined : { availableBytes, totalBytes: 1000 },
  )
  const isStored = (available: number | undefined) => {
    availableBytes = available
    return obstacle() === undefined
  }
  expect([100, 99, 109, 110, 100].map(isStored)).toEqual([true, false, false, true, true])
  // A disk that cannot be read changes nothing.
  expect([undefined, 50, undefined].map(isStored)).toEqual([true, false, false])
  expect(obstacle()).toMatch(/^Less than a tenth of the disk is available/)
})
