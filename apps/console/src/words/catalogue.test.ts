import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { fill } from './catalogue.js'
import type { Message } from './catalogue.js'
import { de } from './de.js'
import { en } from './en.js'

const plural = new Intl.PluralRules('en-GB')
const options = { plural, format: (value: number) => value.toLocaleString('en-GB') }

function parametersOf(message: Message): string[] {
  const forms = typeof message === 'string' ? [message] : [message.other]
  return [...new Set(forms.flatMap((form) => form.match(/\{\w+\}/g) ?? []))].toSorted()
}

describe('the catalogue', () => {
  it('has the same texts in every language, with the same parameters', () => {
    const translated: Readonly<Record<string, Message>> = de
    expect(Object.keys(translated).toSorted()).toEqual(Object.keys(en).toSorted())
    for (const [key, message] of Object.entries<Message>(en))
      expect([key, parametersOf(translated[key] ?? '')]).toEqual([key, parametersOf(message)])
  })

  it('chooses the form of a number, and writes the number as the language does', () => {
    const message = { one: '{count} node', other: '{count} nodes' }
    expect(fill(message, { count: 1 }, options)).toBe('1 node')
    expect(fill(message, { count: 12_000 }, options)).toBe('12,000 nodes')
  })

  it('fills in parameters, and leaves braces of a text alone', () => {
    expect(fill('{part} of {total}', { part: '{total}', total: 3 }, options)).toBe('{total} of 3')
  })
})

it('has each text once: a second one of the same key would replace the first', () => {
  const folder = join(import.meta.dirname, 'en')
  const keys = readdirSync(folder).flatMap((file) =>
    [...readFileSync(join(folder, file), 'utf8').matchAll(/^ {2}'([^']+)':/gm)].map(([, key]) => key),
  )
  expect(keys.filter((key, i) => keys.indexOf(key) !== i)).toEqual([])
  expect(keys).toHaveLength(Object.keys(en).length)
})
