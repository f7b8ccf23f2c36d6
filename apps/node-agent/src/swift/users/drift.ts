import type { DriftedItem } from '@roost/api-types/agent'
import type { KnownUser } from './changes.js'
import { maskedLine } from './diff.js'
import { fileName } from './location.js'
import { digestOf, parseUserFile } from './render.js'

/** What is not as the last deployment left it: our file, and that the proxy reads it. */
export function driftOf(
  known: readonly KnownUser[],
  text: string | undefined,
  look: () => unknown,
): readonly DriftedItem[] {
  return [...fileDrift(known, text), ...placeDrift(look)]
}

function fileDrift(known: readonly KnownUser[], text: string | undefined): readonly DriftedItem[] {
  if (text === undefined)
    return [{ subject: fileName, message: 'The file of the users is gone.', diff: known.map(gone).join('') }]
  const found = new Map(parseUserFile(text).map((entry) => [entry.line, entry]))
  const removed = known.filter(({ line }) => !found.has(line)).map(gone)
  const digests = new Map(known.map(({ line, digest }) => [line, digest]))
  const changed = [...found.values()]
    .filter((entry) => digests.get(entry.line) !== digestOf(entry))
    .map((entry) => `${digests.has(entry.line) ? gone(entry) : ''}+${maskedLine(entry, 'another key or right')}\n`)
  const diff = [...removed, ...changed].join('')
  return diff === '' ? [] : [{ subject: fileName, message: 'The file of the users was changed by hand.', diff }]
}

function gone({ line }: Pick<KnownUser, 'line'>): string {
  return `-${line}\n`
}

function placeDrift(look: () => unknown): readonly DriftedItem[] {
  try {
    look()
    return []
  } catch (error) {
    return [{ subject: 'swift-proxy-server', message: (error as Error).message, diff: '' }]
  }
}
