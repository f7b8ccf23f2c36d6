import { lengthDelimited } from './protobuf.js'

/** A label of a series. */
export type Labels = Readonly<Record<string, string>>

/** Returns the name by which Prometheus knows a metric: its characters allow no dots. */
export function prometheusName(metric: string): string {
  const name = metric.replaceAll(/[^a-zA-Z0-9_]/g, '_')
  return /^\d/.test(name) ? `_${name}` : name
}

/** Encodes labels as fields of a TimeSeries, in the order of their names. */
export function encodeLabels(labels: Labels): Buffer {
  const names = Object.keys(labels).toSorted()
  const encoded = names.map((name) =>
    lengthDelimited(1, Buffer.concat([lengthDelimited(1, name), lengthDelimited(2, labels[name]!)])),
  )
  return Buffer.concat(encoded)
}

/** Bytes of an encoded sample: times from 2004 to 2109 need six bytes. */
export const sampleBytes = 18

/** Samples of a series. Times are Unix milliseconds. NaN is where the series has no value any more. */
export interface Samples {
  readonly times: readonly number[]
  readonly values: readonly number[]
}

/** Leaves out all of a gap but its beginning, which tells Prometheus that the value before it does not last. */
export function withGapMarks({ times, values }: Samples): Samples {
  const hasValue = values.some((value) => !Number.isNaN(value))
  const endsBefore = (i: number) => (i === 0 ? hasValue : !Number.isNaN(values[i - 1]))
  const isKept = (i: number) => !Number.isNaN(values[i]) || endsBefore(i)
  if (values.every((_, i) => isKept(i))) return { times, values }
  return { times: times.filter((_, i) => isKept(i)), values: values.filter((_, i) => isKept(i)) }
}

/** The number that is no value to Prometheus, but the end of a series. */
const staleMark = 0x7f_f0_00_00_00_00_00_02n

/** Encodes samples as fields of a TimeSeries. */
export function encodeSamples({ times, values }: Samples): Buffer {
  const bytes = Buffer.allocUnsafe(times.length * sampleBytes)
  let at = 0
  for (let i = 0; i < times.length; i++) {
    bytes[at] = 0x12
    bytes[at + 1] = sampleBytes - 2
    bytes[at + 2] = 9
    if (Number.isNaN(values[i])) bytes.writeBigUInt64LE(staleMark, at + 3)
    else bytes.writeDoubleLE(values[i]!, at + 3)
    bytes[at + 11] = 16
    let rest = Math.round(times[i]!)
    for (let k = 12; k < 17; k++) {
      bytes[at + k] = (rest % 128) | 128
      rest = Math.floor(rest / 128)
    }
    bytes[at + 17] = rest
    at += sampleBytes
  }
  return bytes
}
