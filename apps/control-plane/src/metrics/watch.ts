import type { MetricSample } from '@roost/api-types/rest'
import type { MetricService } from '@roost/api-types/rpc'
import { watch } from '../rpc/poll-changes.js'

const periodMs = 1_000
// The time of what has no value moves with every look.
const isSame = (one: MetricSample, other: MetricSample) =>
  one.value === other.value && (one.value === null || one.timestamp === other.timestamp)

/** The samples of a poll, and from then on those that are new. */
export async function watchSamples(
  poll: () => ReturnType<MetricService['pollNode']>,
  signal: AbortSignal,
): Promise<AsyncIterable<readonly MetricSample[]>> {
  await poll() // refuses a bad query before the stream begins
  const read = async () => new Map((await poll()).metrics.map((sample) => [sample.metric_name, sample]))
  return watch({ read, isSame, gone: () => undefined, periodMs }, signal)
}
