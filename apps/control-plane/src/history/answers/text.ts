import { resourceUri } from '@roost/api-types/rest'
import { longestNumber, writeNumber, writeThousandths } from './decimal.js'
import type { HistoryAnswer, Series } from './series.js'

/** Values that are written before the length of the piece is looked at. */
const valuesAtOnce = 512
/** The memory of a piece, and the bytes from which it is handed on: what is added then has space. */
const pieceSpace = 64 * 1024
const pieceLength = pieceSpace - valuesAtOnce * (longestNumber + 1)

/** The answer for nodes or a cluster as JSON, in pieces, so that other requests do not wait while a large one is made. */
export function historyText(answer: HistoryAnswer): Generator<Buffer> {
  return textOf(answer, () => '')
}

/** The answer for the nodes of a cluster: each series has its node. */
export function acrossText(answer: HistoryAnswer): Generator<Buffer> {
  return textOf(answer, ({ ownerId }) => `"node":"${resourceUri('nodes', ownerId)}",`)
}

function* textOf({ meta, series }: HistoryAnswer, owner: (series: Series) => string): Generator<Buffer> {
  const text = new JsonText()
  text.add(`{"meta":${JSON.stringify(meta)},"metrics":[`)
  for (const [i, one] of series.entries()) {
    const name = `"metric_name":${JSON.stringify(one.name)},"unit":${JSON.stringify(one.unit)}`
    text.add(`${i === 0 ? '' : ','}{${owner(one)}${name}`)
    for (const [column, values] of Object.entries(one.columns)) yield* columnText(text, column, values)
    text.add('}')
    if (text.length >= pieceLength) yield text.cutOff()
  }
  text.add(']}')
  yield text.cutOff()
}

function* columnText(text: JsonText, column: string, values: Float64Array): Generator<Buffer> {
  text.add(`,"${column}":[`)
  const write = column === 'times' ? writeThousandths : writeNumber
  for (let from = 0; from < values.length; from += valuesAtOnce) {
    text.addNumbers(values.subarray(from, from + valuesAtOnce), write, from > 0)
    if (text.length >= pieceLength) yield text.cutOff()
  }
  text.add(']')
}

/** Writes JSON into bytes outside of the heap of V8, which would copy and mark what is there only until it is sent. */
class JsonText {
  #bytes = Buffer.allocUnsafe(pieceSpace)
  length = 0

  add(text: string): void {
    this.#reserve(3 * text.length)
    this.length += this.#bytes.write(text, this.length)
  }

  /** Adds numbers, with a comma before the first where others are before it. */
  addNumbers(values: Float64Array, write: typeof writeNumber, hasMoreBefore: boolean): void {
    this.#reserve(values.length * (longestNumber + 1))
    const bytes = this.#bytes
    let at = this.length
    for (let i = 0; i < values.length; i++) {
      if (i > 0 || hasMoreBefore) bytes[at++] = comma
      at = write(bytes, at, values[i]!)
    }
    this.length = at
  }

  /** Returns what was added since the last time. */
  cutOff(): Buffer {
    const piece = this.#bytes.subarray(0, this.length)
    this.#bytes = Buffer.allocUnsafe(pieceSpace)
    this.length = 0
    return piece
  }

  #reserve(bytes: number): void {
    if (this.length + bytes <= this.#bytes.length) return
    const larger = Buffer.allocUnsafe(Math.max(2 * this.#bytes.length, this.length + bytes))
    this.#bytes.copy(larger, 0, 0, this.length)
    this.#bytes = larger
  }
}

const comma = 44
