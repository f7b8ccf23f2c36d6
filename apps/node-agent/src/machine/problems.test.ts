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

  it('call back when one appears or is solved, when a message changes, and not when they stay the same', () => {
    const problems = createNodeProblems()
    const changes: string[] = []
    const unsubscribe = problems.onChange((change) => changes.push(change))
    problems.set('a', [])
    problems.set('a', [problem('1'), problem('2')])
    problems.set('a', [problem('2'), problem('1')])
    expect(changes).toEqual(['problems'])
    problems.set('a', [problem('1', 'another message'), problem('2')])
    expect(changes).toEqual(['problems', 'messages'])
    problems.set('a', [])
    unsubscribe()
    problems.set('a', [problem('1')])
    expect(changes).toEqual(['problems', 'messages', 'problems'])
  })
})
