import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseJson } from './json.js'

describe('parseJson', () => {
  it('reads whatever JSON.stringify writes of shallow values', () => {
    const plain = fc.jsonValue({ maxDepth: 8 }).filter((value) => !JSON.stringify(value).includes('__proto__'))
    fc.assert(
      fc.property(plain, (value) => {
        const text = JSON.stringify(value)
        expect(parseJson(text)).toEqual(JSON.parse(text))
      }),
    )
  })

  it('takes the same name in two objects, and braces in texts', () => {
    expect(parseJson(String.raw`{"a":{"b":1},"c":{"b":"}{[\":"}}`)).toEqual({ a: { b: 1 }, c: { b: '}{[":' } })
  })

  it('counts only what is open', () => {
    expect(parseJson(`[${Array.from({ length: 100 }, () => '[[]]').join()}]`)).toHaveLength(100)
  })
})
