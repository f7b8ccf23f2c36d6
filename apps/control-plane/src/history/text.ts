import type { MetricHistory, NodeMetricHistory } from '@roost/api-types/rest'

/** An answer as JSON in pieces of a series, so that other requests do not wait while a large one is made. */
export function* historyText({ meta, metrics }: MetricHistory | NodeMetricHistory): Generator<string> {
  yield `{"meta":${JSON.stringify(meta)},"metrics":[`
  for (const [i, series] of metrics.entries()) yield `${i === 0 ? '' : ','}${JSON.stringify(series)}`
  yield ']}'
}
