import type { ChangeEvent, EventBatch, EventTopic } from '@roost/api-types/rest'

/** The first parts of the keys of the queries that show a topic. */
const shownBy: Readonly<Record<EventTopic, readonly string[]>> = {
  alerts: ['alerts'],
  nodes: ['nodes', 'summary'],
  devices: ['devices', 'summary'],
  shares: ['shares', 'pending'],
  users: ['users', 'pending'],
  jobs: ['deployments', 'pending'],
  drift: ['drift', 'nodes'],
  audit: ['audit'],
  health: ['health', 'summary'],
  capacity: ['capacity'],
  sessions: ['access'],
}

export const topics = Object.keys(shownBy) as EventTopic[]

/** The same for resources without a topic. Their changes by operators are in the audit trail. */
const shownByAudited: Readonly<Record<string, string>> = {
  alert_metric_rules: 'alerts',
  alert_rules: 'alerts',
  alert_silences: 'alerts',
  alert_receivers: 'receivers',
  clusters: 'clusters',
  // Keys of S3 are in Keystone: only the audit trail knows of their changes.
  users: 's3Keys',
  operators: 'access',
  api_keys: 'access',
  enrolment_tokens: 'access',
}

/** Returns the first parts of the keys of all queries that show something else after a batch. */
export function changedKeys({ events, list_again: again }: EventBatch): ReadonlySet<string> {
  const missed = again.flatMap((topic) => [
    ...shownBy[topic],
    ...(topic === 'audit' ? Object.values(shownByAudited) : []),
  ])
  return new Set([...missed, ...events.flatMap(keysOf)])
}

function keysOf({ topic, fields }: ChangeEvent): readonly string[] {
  const audited = topic === 'audit' ? shownByAudited[String(fields?.['resource'])] : undefined
  return audited === undefined ? shownBy[topic] : [...shownBy[topic], audited]
}
