import { closeCodes } from '@roost/api-types/agent'
import { expect, it } from 'vitest'
import { readCloseReason } from './close-reason.js'

it('reads what the control plane says, and for how long to stay away', () => {
  const reason = JSON.stringify({ message: 'Restarting.', retry_after_ms: 5000 })
  expect(readCloseReason(closeCodes.serviceRestart, reason)).toEqual({ message: 'Restarting.', retryAfterMs: 5000 })
})

it.each([
  [1006, '', 'The connection was lost.'],
  [closeCodes.serviceRestart, 'bye', 'The control plane is restarting. bye'],
  [4999, '', 'The connection was closed with code 4999.'],
  [
    1000,
    '{"message":"x","retry_after_ms":-1}',
    'The connection was closed with code 1000. {"message":"x","retry_after_ms":-1}',
  ],
])('makes a sentence of code %i with the reason %j', (code, reason, message) => {
  expect(readCloseReason(code, reason)).toEqual({ message, retryAfterMs: null })
})
