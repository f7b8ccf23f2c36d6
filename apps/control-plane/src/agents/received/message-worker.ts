import { parentPort } from 'node:worker_threads'
import { indexOf, type DefinitionIndex } from '../../services/metric-definitions.js'
import { measureCpu } from '../limits/loop-share.js'
import { checkMessage, type CheckedMessage } from './read-message.js'
import { headOf, parseMessage, type RawMessage } from './raw-message.js'

/** What the thread of large messages makes of one. */
export interface WorkerResult {
  /** The part that is needed beside the checked message; undefined for what `parseMessage` refuses. */
  readonly raw: RawMessage | undefined
  readonly checked: CheckedMessage
  /** Of the metrics that the message defines. */
  readonly index: DefinitionIndex | undefined
  readonly cpuMs: number
}

const port = parentPort as NonNullable<typeof parentPort>

port.on('message', (data: Uint8Array) => {
  const result = read(Buffer.from(data.buffer, data.byteOffset, data.byteLength))
  port.postMessage(result, result.index === undefined ? [] : [result.index.sorted.buffer as ArrayBuffer])
})

function read(data: Buffer): WorkerResult {
  const cpuMs = measureCpu(false)
  const raw = parseMessage(data)
  const checked = raw && checkMessage(raw)
  const index = indexIn(checked)
  return { raw: raw && headOf(raw), checked, index, cpuMs: cpuMs() }
}

function indexIn(checked: CheckedMessage): DefinitionIndex | undefined {
  return checked && 'message' in checked && 'metrics' in checked.message ? indexOf(checked.message.metrics) : undefined
}
