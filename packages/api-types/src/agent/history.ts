import * as z from 'zod/mini'
import { FrameError } from './frame.js'
import { SmallCount } from './bounds.js'

/** Of an agent that makes chunks of history, once the settings ask for them. */
export const historyCapability = 'history'

/** How an agent records: windows of `window_s` seconds, and the bits to which numbers that are no integers are rounded. */
export const HistorySettings = z.object({
  window_s: SmallCount.check(z.minimum(10), z.maximum(3600)),
  mantissa: SmallCount.check(z.minimum(8), z.maximum(23)),
})
export type HistorySettings = z.infer<typeof HistorySettings>

/**
 * The binary message of a chunk, little-endian: `u8 kind=2, u8 version=1, u8 mantissa, u8 reserved, u32 catalogue,
 * u64 sequence`, then the chunk, head first. The package `history` reads chunks.
 */
export const historyHeaderBytes = 16
export const historyFrameKind = 2
const historyVersion = 1

/** All series of a node over a window. Numbered: it is kept and repeated until it is acknowledged. */
export interface HistoryFrame {
  /** The catalogue whose order the columns follow; sent before as `catalogue` or `history_columns`. */
  readonly catalogue: number
  readonly sequence: number
  readonly mantissa: number
  readonly chunk: { readonly head: Uint8Array; readonly data: Uint8Array }
}

/** The bytes of a message with a chunk. */
export function encodeHistoryFrame({ catalogue, sequence, mantissa, chunk }: HistoryFrame): Uint8Array {
  const bytes = new Uint8Array(historyHeaderBytes + chunk.head.length + chunk.data.length)
  const view = new DataView(bytes.buffer)
  view.setUint8(0, historyFrameKind)
  view.setUint8(1, historyVersion)
  view.setUint8(2, mantissa)
  view.setUint32(4, catalogue, true)
  view.setBigUint64(8, BigInt(sequence), true)
  bytes.set(chunk.head, historyHeaderBytes)
  bytes.set(chunk.data, historyHeaderBytes + chunk.head.length)
  return bytes
}

/** Reads the message; `chunk` is a view of the rest of its bytes and still unchecked. Throws FrameError. */
export function decodeHistoryFrame(bytes: Uint8Array): Omit<HistoryFrame, 'chunk'> & { readonly chunk: Uint8Array } {
  if (bytes.byteLength < historyHeaderBytes) throw new FrameError(`A chunk of ${bytes.byteLength} bytes has no header`)
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (view.getUint8(0) !== historyFrameKind) throw new FrameError(`Unknown kind of frame: ${view.getUint8(0)}`)
  if (view.getUint8(1) !== historyVersion) throw new FrameError(`Unknown version of chunk: ${view.getUint8(1)}`)
  const sequence = view.getBigUint64(8, true)
  if (sequence > BigInt(Number.MAX_SAFE_INTEGER)) throw new FrameError('The number of a chunk has more than 53 bits')
  return {
    catalogue: view.getUint32(4, true),
    sequence: Number(sequence),
    mantissa: view.getUint8(2),
    chunk: bytes.subarray(historyHeaderBytes),
  }
}
