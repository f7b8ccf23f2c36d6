import type { DriftedItem } from '@roost/api-types/agent'
import type { KnownUser } from './changes.js'
import { maskedLine } from './lines/diff.js'
import { fileName } from './location.js'
import { digestOf, parseUserFile } from './lines/render.js'

/** Returns differences from the last deployment: of our file, and of the folder that the proxy reads. */
export function driftOf(
  known: readonly KnownUser[],
  text: string | undefined,
  locate: () => unknown,
): readonly DriftedItem[] {
  return [...fileDrift(known, text), ...locationDrift(locate)]
}

function fileDrift(known: readonly KnownUser[], text: string | undefined): readonly DriftedItem[] {
  if (text === undefined)
    return [{ subject: fileName, message: 'The file of the users was removed.', diff: known.map(removedLine).join('') }]
  const found = new Map(parseUserFile(text).map((entry) => [entry.line, entry]))
  const removed = known.filter(({ line }) => !found.has(line)).map(removedLine)
  const digests = new Map(known.map(({ line, digest }) => [line, digest]))
  const changed = [...found.values()]
    .filter((entry) => digests.get(entry.line) !== digestOf(entry))
    .map(
      (entry) => `${digests.has(entry.line) ? removedLine(entry) : ''}+${maskedLine(entry, 'another key or right')}\n`,
    )
  const diff = [...removed, ...changed].join('')
  return diff === '' ? [] : [{ subject: fileName, message: 'The file of the users was changed by hand.', diff }]
}

function removedLine({ line }: Pick<KnownUser, 'line'>): string {
  return `-${line}\n`
}

function locationDrift(locate: () => unknown): readonly DriftedItem[] {
  try {
    locate()
    return []
  } catch (error) {
    return [{ subject: 'swift-proxy-server', message: (error as Error).message, diff: '' }]
  }
}
