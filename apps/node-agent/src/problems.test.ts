import { describe, expect, it } from 'vitest'
import { createNodeProblems } from './problems.js'

const problem = (subject: string, message = 'x') => ({ code: 'mount_outdated', subject, message })

describe('problems of a node', () => {
  it('are those that each source reported last', () => {
    const problems = createNodeProblems()
    problems.set('a', [problem('1'), problem('2')])
    problems.set('b', [problem('3')])
    problems.set('a', [problem('2')])
    expect(problems.list()).toEqual([problem('2'), problem('3')])
  })

  it('call back when one appears or is solved, and not for another message', () => {
    const problems = createNodeProblems()
    let changes = 0
    const unsubscribe = problems.onChange(() => (changes += 1))
    problems.set('a', [])
    problems.set('a', [problem('1')])
    problems.set('a', [problem('1', 'another message')])
    expect([changes, problems.list()[0]?.message]).toEqual([1, 'another message'])
    problems.set('a', [])
    unsubscribe()
    problems.set('a', [problem('1')])
    expect(changes).toBe(2)
  })
})
