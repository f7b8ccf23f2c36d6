/** Parts of each doubling: a percentile is wrong by 1.6 % at most. */
const partBits = 5
const lowestExponent = -10
const highestExponent = 24
const bias = 127
const firstBits = (lowestExponent + bias) << partBits
const buckets = (highestExponent - lowestExponent) << partBits

const float = new Float32Array(1)
const bits = new Uint32Array(float.buffer)

/** The exponent and the first bits of the fraction of a binary number are its bucket: no logarithm is taken. */
function bucketOf(value: number): number {
  float[0] = value
  const bucket = ((bits[0] as number) >>> (23 - partBits)) - firstBits
  return Math.min(Math.max(bucket, 0), buckets - 1)
}

function middleOf(bucket: number): number {
  bits[0] = (bucket + firstBits) << (23 - partBits)
  const low = float[0] as number
  bits[0] = (bucket + 1 + firstBits) << (23 - partBits)
  return (low + (float[0] as number)) / 2
}

/**
 * Times in milliseconds, from a microsecond to hours, in 4 KiB however many they are. Log-linear buckets rather than a
 * reservoir: a sampled time counts by its weight, the error has a bound at p99 too, and nothing depends on chance.
 */
export class Histogram {
  readonly #weights = new Float32Array(buckets)
  #lowest = buckets
  #highest = -1
  #total = 0
  #sum = 0
  #min = Infinity
  #max = -Infinity

  /** `value` is not negative. */
  add(value: number, weight: number): void {
    const bucket = bucketOf(value)
    this.#weights[bucket] = (this.#weights[bucket] as number) + weight
    if (bucket < this.#lowest) this.#lowest = bucket
    if (bucket > this.#highest) this.#highest = bucket
    this.#total += weight
    this.#sum += value * weight
    if (value < this.#min) this.#min = value
    if (value > this.#max) this.#max = value
  }

  get total(): number {
    return this.#total
  }

  /** NaN without a value, as all figures here. */
  get mean(): number {
    return this.#sum / this.#total
  }

  get max(): number {
    return this.#total === 0 ? Number.NaN : this.#max
  }

  /** By nearest rank, for each share (ascending, 0 to 1). */
  percentiles(shares: readonly number[]): readonly number[] {
    if (this.#total === 0) return shares.map(() => Number.NaN)
    let bucket = this.#lowest
    let below = this.#weights[bucket] as number
    return shares.map((share) => {
      // What sums of weights lose by rounding must not push a rank beyond the last value.
      const rank = share * this.#total * (1 - 1e-6)
      while (below < rank && bucket < this.#highest) below += this.#weights[++bucket] as number
      return Math.min(Math.max(middleOf(bucket), this.#min), this.#max)
    })
  }

  reset(): void {
    if (this.#total === 0) return
    this.#weights.fill(0, this.#lowest, this.#highest + 1)
    this.#lowest = buckets
    this.#highest = -1
    this.#total = 0
    this.#sum = 0
    this.#min = Infinity
    this.#max = -Infinity
  }
}
