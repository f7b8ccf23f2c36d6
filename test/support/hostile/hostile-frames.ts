import { encodeMetricFrame, frameHeaderBytes } from '@roost/api-types/agent'

const header = { catalogue: 1, sequence: 1n, time: 0, values: new Float64Array([41, 42]) }

const valid = (more: Partial<typeof header> = {}) => encodeMetricFrame({ ...header, time: Date.now() / 1000, ...more })

/** Metric frames with hostile bytes in each part of the header, hostile numbers, and of any length. */
export function hostileFrames(): readonly Uint8Array[] {
  const ofHeader = Array.from({ length: frameHeaderBytes }, (_, at) =>
    [0x80, 0xff].map((byte) => valid().with(at, byte)),
  ).flat()
  const numbers = [NaN, Infinity, -Infinity, -0, 1e308, -1e308, 5e-324]
  const ofNumbers = numbers.flatMap((number) => [
    valid({ time: number }),
    valid({ values: new Float64Array([number, number]) }),
  ])
  const lengths = [0, 1, 2, frameHeaderBytes - 1, frameHeaderBytes, frameHeaderBytes + 1, frameHeaderBytes + 15]
  const ofLengths = lengths.map((length) => valid().slice(0, length))
  const large = [valid({ values: new Float64Array(100_000).fill(1e308) }), new Uint8Array(900_000).fill(1)]
  return [...ofHeader, ...ofNumbers, ...ofLengths, ...large]
}
