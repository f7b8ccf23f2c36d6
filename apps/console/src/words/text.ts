import { fill } from './catalogue.js'
import type { Message, ParametersOf } from './catalogue.js'
import { en } from './en.js'
import type { Catalogue, Key } from './en.js'
import { language, locale } from './locale.js'

const plural = new Intl.PluralRules(locale)
const numbers = new Intl.NumberFormat(locale)
let messages: Catalogue = en

type Arguments<K extends Key> =
  ParametersOf<(typeof en)[K]> extends never
    ? []
    : [parameters: { readonly [P in ParametersOf<(typeof en)[K]>]: string | number }]

/** Loads the messages of the page's language. Call it before the first message is shown. */
export async function loadLanguage(): Promise<void> {
  if (language === 'de') messages = (await import('./de.js')).de
}

/** Returns a message in the page's language. */
export function t<K extends Key>(key: K, ...[parameters]: Arguments<K>): string {
  const message: Message = messages[key]
  return fill(message, parameters ?? {}, { plural, format: (value) => numbers.format(value) })
}

/** Returns the message of a key that is made at run time, such as `state.online`, or the text after its last dot. */
export function tOr(key: string): string {
  const message = (messages as Readonly<Record<string, Message | undefined>>)[key]
  if (typeof message === 'string') return message
  return key.slice(key.lastIndexOf('.') + 1).replaceAll('_', ' ')
}
