/**
 * The binary metric frame, little-endian: `u8 kind=1, u8 version=1, u16 reserved, u32 catalogue, u64 sequence,
 * f64 unix seconds, u32 count, u32 reserved`, then `count` float64 in the catalogue's order; NaN means no value.
 * The header of 32 bytes keeps the values aligned.
 */
export const frameHeaderBytes = 32
export const metricFrameKind = 1
const frameVersion = 1

/** One reading of all metrics of a catalogue. */
export interface MetricFrame {
  /** The catalogue whose order the values follow. */
  readonly catalogue: number
  readonly sequence: bigint
  /** Time of the reading, in Unix seconds. */
  readonly time: number
  readonly values: Float64Array
}

/** A frame that cannot be decoded: truncated, or of another kind or version. */
export class FrameError extends Error {
  override readonly name = 'FrameError'
}

/** The bytes of a frame, 32 and 8 for each value. `catalogue` and the number of values must fit 32 bits. */
export function encodeMetricFrame(frame: MetricFrame): Uint8Array {
  const bytes = new Uint8Array(frameHeaderBytes + frame.values.length * 8)
  const view = new DataView(bytes.buffer)
  view.setUint8(0, metricFrameKind)
  view.setUint8(1, frameVersion)
  view.setUint32(4, frame.catalogue, true)
  view.setBigUint64(8, frame.sequence, true)
  view.setFloat64(16, frame.time, true)
  view.setUint32(24, frame.values.length, true)
  for (let i = 0; i < frame.values.length; i++)
    view.setFloat64(frameHeaderBytes + i * 8, frame.values[i] as number, true)
  return bytes
}

/** Reads a frame. The values are a view into `bytes` where the alignment allows it, else a copy. Throws FrameError. */
export function decodeMetricFrame(bytes: Uint8Array): MetricFrame {
  if (bytes.byteLength < frameHeaderBytes) throw new FrameError(`A frame of ${bytes.byteLength} bytes has no header`)
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (view.getUint8(0) !== metricFrameKind) throw new FrameError(`Unknown kind of frame: ${view.getUint8(0)}`)
  if (view.getUint8(1) !== frameVersion) throw new FrameError(`Unknown version of frame: ${view.getUint8(1)}`)
  const count = view.getUint32(24, true)
  if (bytes.byteLength !== frameHeaderBytes + count * 8)
    throw new FrameError(`A frame of ${count} values has ${bytes.byteLength} bytes`)
  return {
    catalogue: view.getUint32(4, true),
    sequence: view.getBigUint64(8, true),
    time: view.getFloat64(16, true),
    values: valuesOf(bytes, count),
  }
}

const littleEndian = new Uint8Array(new Uint16Array([1]).buffer)[0] === 1

function valuesOf(bytes: Uint8Array, count: number): Float64Array {
  const start = bytes.byteOffset + frameHeaderBytes
  if (littleEndian && start % 8 === 0) return new Float64Array(bytes.buffer, start, count)
  if (littleEndian) {
    const values = new Float64Array(count)
    new Uint8Array(values.buffer).set(bytes.subarray(frameHeaderBytes))
    return values
  }
  const view = new DataView(bytes.buffer, start)
  return Float64Array.from({ length: count }, (_, i) => view.getFloat64(i * 8, true))
}
