import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createCatalogueTable } from './catalogue.js'
import type { NameList } from './catalogue.js'
import { compileQuery, splitNames } from './query.js'
import { hasName, select, selectInSteps } from './selection.js'

function listOf(names: readonly string[]): NameList {
  return createCatalogueTable().acquire(names.map((name) => ({ name, unit: 'count', aggregation: 'sum' })))
}

function found(names: readonly string[], ...asked: string[]): string[] {
  const list = listOf(names)
  return Array.from(select(list, compileQuery(asked)), (position) => list.metrics[position]?.name ?? '')
}

/** A regular expression that says what `*` means, and would be too slow to be used. */
function meaning(pattern: string): RegExp {
  const parts = pattern.split('*').map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`))
  return new RegExp(`^${parts.join('.*')}$`, 's')
}

const many = (count: number, text: string) => Array.from({ length: count }, (_, i) => `${text}${i}`)

const names = ['load.shortterm', 'load.midterm', 'df.srv-a.free', 'df.srv-b.free', 'uptime']

describe('names of a query', () => {
  it('are separated by commas, and the parameter may be repeated', () => {
    expect(splitNames(['a.b, c', 'd'])).toEqual(['a.b', 'c', 'd'])
  })

  it.each([[[]], [['']], [['', '']]])('must be there: %j is refused', (asked) => {
    expect(() => compileQuery(asked)).toThrow("The 'metrics' parameter is missing")
  })
})

describe('a pattern', () => {
  it('matches any run of characters with *, dots included', () => {
    expect(found(names, 'load.*')).toEqual(['load.midterm', 'load.shortterm'])
    expect(found(names, '*free')).toEqual(['df.srv-a.free', 'df.srv-b.free'])
    expect(found(names, 'd*b*e')).toEqual(['df.srv-b.free'])
    expect(found(names, '*')).toHaveLength(5)
    expect(found(names, 'uptime*')).toEqual(['uptime'])
  })

  it('needs its beginning and its end apart from each other', () => {
    expect(found(['ab', 'aba', 'abab'], 'ab*ab')).toEqual(['abab'])
    expect(found(['aba'], 'aba*aba')).toEqual([])
  })

  it('takes everything else literally', () => {
    expect(found(['a.b', 'axb', 'a[b]', String.raw`a\b`, 'a(b'], 'a.*')).toEqual(['a.b'])
    expect(found(['a.b', 'axb', 'a[b]', String.raw`a\b`, 'a(b'], 'a[*', String.raw`a\*`, 'a(*', 'a?*')).toEqual([
      'a(b',
      'a[b]',
      String.raw`a\b`,
    ])
  })

  it('gives each name once, in the order of the names, whatever the order of the query', () => {
    expect(found(names, 'uptime', 'load.*', '*midterm', 'load.midterm')).toEqual([
      'load.midterm',
      'load.shortterm',
      'uptime',
    ])
  })

  it('matches as a regular expression of the same meaning does', () => {
    const name = fc.string({ unit: fc.constantFrom('a', 'b', '.'), maxLength: 12 }).filter((text) => text !== '')
    const pattern = fc.string({ unit: fc.constantFrom('a', 'b', '.', '*'), maxLength: 10 })
    fc.assert(
      fc.property(fc.uniqueArray(name, { maxLength: 20 }), pattern, (all, text) => {
        fc.pre(text !== '')
        expect(found(all, text)).toEqual(all.filter((one) => meaning(text).test(one)).toSorted())
      }),
      { numRuns: 2000 },
    )
  })

  it('selects the same in turns with others', async () => {
    const list = listOf(Array.from({ length: 3000 }, (_, i) => `disk.sd${i}.read`))
    const query = compileQuery(['*7*', '*d1.*', 'disk.sd2*', 'disk.sd5.read'])
    expect(await selectInSteps(list, query)).toEqual(select(list, query))
  })

  it('is found or not found by its literal name', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.string({ minLength: 1 })), fc.string(), (all, one) => {
        expect(hasName(listOf(all), one)).toBe(all.includes(one))
      }),
    )
  })
})

describe('limits of a query', () => {
  it('are 64 patterns, each of 256 characters and 16 stars, and 1,000 literal names', () => {
    expect(compileQuery([...many(64, '*'), ...many(1000, 'a')]).literals).toHaveLength(1000)
    expect(() => compileQuery(many(65, '*'))).toThrow('at most 64 patterns')
    expect(() => compileQuery(many(1001, 'a'))).toThrow('at most 1000 metric names')
    expect(compileQuery([`*${'a'.repeat(255)}`]).patterns).toHaveLength(1)
    expect(() => compileQuery([`*${'a'.repeat(256)}`])).toThrow('longer than 256 characters')
    expect(compileQuery(['*a'.repeat(16)]).patterns).toHaveLength(1)
    expect(() => compileQuery(['*a'.repeat(17)])).toThrow('more than 16 stars')
  })

  it('do not count the same name twice', () => {
    expect(compileQuery(Array.from({ length: 2000 }, () => 'a*')).patterns).toHaveLength(1)
  })

  it('show only the beginning of a long pattern', () => {
    expect(() => compileQuery([`secret*${'a'.repeat(10_000)}`])).toThrow(/^The pattern 'secret\*a{33}…' is longer/)
  })
})
