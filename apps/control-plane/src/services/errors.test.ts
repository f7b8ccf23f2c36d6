import { RoostError } from '@roost/api-types/rest'
import { describe, expect, it } from 'vitest'
import { logged } from './errors.js'

describe('what the log says of an error', () => {
  it('is one line for a database that is away, which everything meets', () => {
    const cause = new Error('\nInvalid `prisma.job.findMany()` invocation:\n\n\nthe database system is starting up')
    const error = new RoostError('unavailable', 'The database does not answer.', { cause })
    expect(logged(error)).toEqual({ reason: 'the database system is starting up' })
  })

  it('is all of an unforeseen error', () => {
    const error = new Error('surprise')
    expect(logged(error)).toEqual({ err: error })
  })
})
