/** Above this many values a sample picks the pivot (Floyd and Rivest's SELECT), which saves most of the passes. */
const sampleAbove = 600

/** The value that would stand at `rank` (from 0) were `values` sorted. Reorders `values`. */
export function selectRank(values: Float64Array, rank: number): number {
  narrow(values, rank, 0, values.length - 1)
  return values[rank] as number
}

/** Moves the value of that rank to its place between `from` and `to`, smaller ones before it and larger ones after. */
function narrow(values: Float64Array, rank: number, from: number, to: number): void {
  let left = from
  let right = to
  while (right > left) {
    if (right - left > sampleAbove) sample(values, rank, left, right)
    const middle = partition(values, rank, left, right)
    if (middle <= rank) left = middle + 1
    if (rank <= middle) right = middle - 1
  }
}

function sample(values: Float64Array, rank: number, left: number, right: number): void {
  const count = right - left + 1
  const offset = rank - left + 1
  const logarithm = Math.log(count)
  const size = 0.5 * Math.exp((2 * logarithm) / 3)
  const side = offset < count / 2 ? -1 : 1
  const spread = 0.5 * Math.sqrt((logarithm * size * (count - size)) / count) * side
  const start = Math.max(left, Math.floor(rank - (offset * size) / count + spread))
  const end = Math.min(right, Math.floor(rank + ((count - offset) * size) / count + spread))
  narrow(values, rank, start, end)
}

/** Parts `left..right` around the value at `rank`; returns where that value ends up. */
function partition(values: Float64Array, rank: number, left: number, right: number): number {
  const pivot = values[rank] as number
  swap(values, left, rank)
  const pivotIsLow = (values[right] as number) <= pivot
  if (!pivotIsLow) swap(values, left, right)
  let low = left
  let high = right
  while (low < high) {
    swap(values, low, high)
    do low++
    while ((values[low] as number) < pivot)
    do high--
    while ((values[high] as number) > pivot)
  }
  if (values[left] === pivot) swap(values, left, high)
  else swap(values, ++high, right)
  return high
}

function swap(values: Float64Array, a: number, b: number): void {
  const kept = values[a] as number
  values[a] = values[b] as number
  values[b] = kept
}
