import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decimal, newStatsdLine, parseStatsdLine } from './line.js'

const numRuns = process.env.ROOST_TEST_LONG ? 100_000 : 500
const timeout = 300_000

function parse(text: string | Uint8Array) {
  const bytes = Buffer.from(text)
  const line = newStatsdLine()
  if (!parseStatsdLine(bytes, 0, bytes.length, line)) return undefined
  const { isTimer, value, weight } = line
  return { name: bytes.toString('latin1', line.nameStart, line.nameEnd), isTimer, value, weight }
}

describe('a line', () => {
  it.each([
    ['object-server.async_pendings:1|c', 'object-server.async_pendings', false, 1, 1],
    ['proxy-server.object.GET.200.timing:12.5|ms', 'proxy-server.object.GET.200.timing', true, 12.5, 1],
    ['container-server.HEAD.timing:9.5e-05|ms|@0.1', 'container-server.HEAD.timing', true, 9.5e-5, 10],
    ['object-server.HEAD.timing:0|ms|@0.8', 'object-server.HEAD.timing', true, 0, 1.25],
    ['a:-3|c', 'a', false, -3, 1],
    ['proxy-server.object.GET.200.xfer:3000000|c|@1', 'proxy-server.object.GET.200.xfer', false, 3e6, 1],
  ])('%s is parsed', (text, name, isTimer, value, weight) => {
    expect(parse(text)).toEqual({ name, isTimer, value, weight })
  })

  it.each([
    '',
    ':',
    'a',
    'a:',
    'a:1',
    'a:1|',
    ':1|c',
    'a:|c',
    'a:1|g',
    'a:1|m',
    'a:1|h',
    'a:1|cc',
    'a:1|mss',
    'a:x|c',
    'a:1x|c',
    'a:1.2.3|c',
    'a:-|c',
    'a:.|c',
    'a:1e|c',
    'a:1e-|c',
    'a:1e-x|c',
    'a:NaN|ms',
    'a:inf|ms',
    'a:-1|ms',
    'a:1e+300|c',
    'a:1|c|',
    'a:1|c|@',
    'a:1|c|@0',
    'a:1|c|@2',
    'a:1|c|@-0.5',
    'a:1|c|@0.0000001',
    'a:1|c|#tag:x',
    'a:1|c|@0.1|#t',
    `${'a'.repeat(201)}:1|c`,
  ])('%j is refused', (text) => {
    expect(parse(text)).toBeUndefined()
  })

  it('is parsed to the written values', { timeout }, () => {
    const name = fc.stringMatching(/^[A-Za-z0-9_.-]{1,100}$/)
    const value = fc.oneof(fc.nat(), fc.double({ min: 1e-9, max: 1e9, noNaN: true }))
    const rate = fc.option(fc.double({ min: 0.001, max: 1, noNaN: true }))
    fc.assert(
      fc.property(name, value, fc.boolean(), rate, (name, value, isTimer, rate) => {
        const line = parse(`${name}:${value}|${isTimer ? 'ms' : 'c'}${rate === null ? '' : `|@${rate}`}`)
        expect(line).toMatchObject({ name, isTimer })
        expect(Math.abs((line?.value ?? Infinity) - value)).toBeLessThanOrEqual(value * 1e-12)
        expect(line?.weight).toBeCloseTo(1 / (rate ?? 1), 8)
      }),
      { numRuns },
    )
  })

  it('is never read beyond its end, and other bytes are refused', { timeout }, () => {
    const pieces = fc.constantFrom('a.b', ':', '|', '1', '.', '-', 'e', 'c', 'ms', '@', '0.5', '\0', '\u{ff}')
    const text = fc.oneof(
      fc.array(pieces, { maxLength: 12 }).map((some) => some.join('')),
      fc.string({ unit: 'binary' }),
    )
    fc.assert(
      fc.property(text, (text) => {
        const alone = parse(Buffer.from(text, 'latin1'))
        const bytes = Buffer.from(`${text}|c|@0.5`, 'latin1')
        const line = newStatsdLine()
        const among = parseStatsdLine(bytes, 0, bytes.length - 7, line)
        expect(among).toBe(alone !== undefined)
        const wellFormed = /^[^:]+:-?(\d+\.?\d*|\.\d+)(e[+-]\d+)?\|(c|ms)(\|@-?(\d+\.?\d*|\.\d+)(e[+-]\d+)?)?$/s
        expect(!among || wellFormed.test(bytes.toString('latin1', 0, bytes.length - 7))).toBe(true)
      }),
      { numRuns },
    )
  })
})

describe('a number', () => {
  it('is parsed as by JavaScript', { timeout }, () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, min: -1e15, max: 1e15 }), (value) => {
        const bytes = Buffer.from(String(value))
        expect(Math.abs(decimal(bytes, 0, bytes.length) - value)).toBeLessThanOrEqual(Math.abs(value) * 1e-12 + 1e-290)
      }),
      { numRuns },
    )
  })
})
