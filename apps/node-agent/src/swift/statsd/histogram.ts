/** Each doubling has 32 buckets: the error of a percentile is at most 1.6 %. */
const partBits = 5
const lowestExponent = -10
const highestExponent = 24
const bias = 127
const firstBits = (lowestExponent + bias) << partBits
const buckets = (highestExponent - lowestExponent) << partBits

const float = new Float32Array(1)
const bits = new Uint32Array(float.buffer)

/** Returns the bucket: the exponent and the first bits of the fraction of a binary number, without a logarithm. */
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
 * Counts times in milliseconds, from a microsecond to hours, in 4 KiB. The buckets are log-linear, because a reservoir has neither
 * weights of sampled times nor a limit of the error at p99, and depends on chance.
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

  /** Returns the mean; NaN without a value, like all statistics here. */
  get mean(): number {
    return this.#sum / this.#total
  }

  get max(): number {
    return this.#total === 0 ? Number.NaN : this.#max
  }

  /** Returns the value of nearest rank for each share (ascending, 0 to 1). */
  percentiles(shares: readonly number[]): readonly number[] {
    if (this.#total === 0) return shares.map(() => Number.NaN)
    let bucket = this.#lowest
    let below = this.#weights[bucket] as number
    return shares.map((share) => {
      // Rounding of the sums of weights must not move a rank beyond the last value.
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
