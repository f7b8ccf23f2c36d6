import { describe, expect, it } from 'vitest'
import { createRingNames } from './ring-names.js'

/** A name server whose answers change; undefined while it does not answer. */
function nameServer(answers: Readonly<Record<string, readonly string[]>>) {
  const state = { answers: answers as Readonly<Record<string, readonly string[]>> | undefined, asked: [] as string[] }
  const find = async (name: string) => {
    state.asked.push(name)
    if (state.answers === undefined) throw Object.assign(new Error('no answer'), { code: 'EAI_AGAIN' })
    const found = state.answers[name]
    if (found === undefined) throw Object.assign(new Error('no such name'), { code: 'ENOTFOUND' })
    return found
  }
  return { state, resolve: createRingNames(find) }
}

describe('the names of rings', () => {
  it('stand for all of their addresses, and addresses for themselves in one form', async () => {
    const { state, resolve } = nameServer({ 'store-1': ['10.0.0.1', 'FD00:0::1'] })
    const found = await resolve(['store-1', 'store-1', '10.0.0.9', 'fd00:0:0::2', 'store-x'])
    expect(['store-1', '10.0.0.9', 'fd00:0:0::2', 'store-x'].map((text) => found.of(text))).toEqual([
      ['10.0.0.1', 'fd00::1'],
      ['10.0.0.9'],
      ['fd00::2'],
      [],
    ])
    expect([state.asked, found.unresolved]).toEqual([['store-1', 'store-x'], []])
  })

  it('keep their addresses while the name server does not answer, and are unknown until it did once', async () => {
    const { state, resolve } = nameServer({ 'store-1': ['10.0.0.1'] })
    await resolve(['store-1'])
    state.answers = undefined
    const found = await resolve(['store-1', 'store-2'])
    expect([found.of('store-1'), found.of('store-2'), found.unresolved]).toEqual([['10.0.0.1'], [], ['store-2']])
    state.answers = {}
    expect((await resolve(['store-1'])).of('store-1')).toEqual([])
  })

  it('are resolved by the system', async () => {
    expect((await createRingNames()(['localhost'])).of('localhost')).toContain('127.0.0.1')
  })
})
