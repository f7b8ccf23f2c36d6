import { resourceUri } from '@roost/api-types/rest'
import type { Metric, NameList } from './catalogue.js'
import { samplesJson, slicesOf } from './rows.js'
import type { AcrossAnswer, Answer } from './service.js'

/** Rows that are written out in one go: under a millisecond's work. */
const rowsAtOnce = 1000
/** Characters from which a piece is handed on. */
const pieceLength = 64 * 1024

/** `{"metrics":[…]}` in pieces, so that other requests do not wait while a large answer is made. */
export function* namesText({ metrics, sorted }: NameList): Generator<string> {
  yield '{"metrics":['
  for (let start = 0; start < sorted.length; start += rowsAtOnce) {
    let text = start === 0 ? '' : ','
    const slice = sorted.subarray(start, start + rowsAtOnce)
    for (let i = 0; i < slice.length; i++)
      text += `${i === 0 ? '' : ','}{"metric_name":"${(metrics[slice[i] as number] as Metric).json}"}`
    yield text
  }
  yield ']}'
}

export function* samplesText({ rows, moment }: Answer): Generator<string> {
  yield '{"metrics":['
  let separator = ''
  for (const slice of slicesOf(rows, rowsAtOnce)) {
    yield separator + samplesJson(slice, moment)
    separator = ','
  }
  yield ']}'
}

export function* acrossText({ parts, moment }: AcrossAnswer): Generator<string> {
  let text = '{"metrics":['
  let separator = ''
  for (const { nodeId, rows } of parts) {
    const node = `"node":"${resourceUri('nodes', nodeId)}",`
    for (const slice of rows.positions.length > rowsAtOnce ? slicesOf(rows, rowsAtOnce) : [rows]) {
      text += separator + samplesJson(slice, moment, node)
      separator = ','
      // A node may have one row: a piece for each of a thousand would cost more than the row.
      if (text.length < pieceLength) continue
      yield text
      text = ''
    }
  }
  yield `${text}]}`
}
