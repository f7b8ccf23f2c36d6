import { z } from 'zod'
import { alertCodes } from '../../checks/list.js'
import { boundedText } from '../../values/text.js'
import { byId, throughCluster, throughNode, timeRange } from '../dialect/rules.js'
import type { ResourceRules } from '../dialect/rules.js'
import { blankKey, relationTo, relationUri, ResourceUri } from '../dialect/uri.js'

const example = {
  id: 3,
  resource_uri: '/api/v1/alert_silences/3/',
  matchers: { cluster: null, node: '/api/v1/nodes/7/', device: null, code: 'DEVICE_UNMOUNTED', subject: 'd5' },
  until_worse: true,
  starts_at: '2026-11-22T22:00:00.000Z',
  ends_at: '2026-11-23T06:00:00.000Z',
  comment: 'disk swap',
  operator: 'alice',
}

/** What an alert must have to be silent: all that is not null. */
const Matchers = z.object({
  cluster: relationUri('clusters').nullable(),
  node: relationUri('nodes').nullable(),
  device: relationUri('devices').nullable(),
  code: z.string().nullable(),
  subject: z.string().nullable(),
})

/** Alerts that match it need no action until it ends. */
export const AlertSilence = z
  .object({
    id: z.int(),
    resource_uri: ResourceUri,
    matchers: Matchers.meta({ description: 'An alert is silent if it agrees with all that are not null' }),
    until_worse: z.boolean().meta({
      description: 'An alert is silent no longer when it becomes critical, or its value worse by more than 10 %',
    }),
    starts_at: z.iso.datetime(),
    ends_at: z.iso.datetime(),
    comment: z.string().meta({ [blankKey]: true }),
    operator: z.string().meta({ description: 'Name of the operator who created it' }),
  })
  .meta({ id: 'AlertSilence', examples: [example] })
export type AlertSilence = z.infer<typeof AlertSilence>

/** Nothing is silent for ever. */
export const longestSilenceDays = 30

const Time = z.iso.datetime({
  offset: true,
  error: ({ input }) =>
    input === undefined ? 'This field is required.' : 'Enter a time such as 2026-11-23T06:00:00Z.',
})

const MatchersInput = z
  .object({
    cluster: relationTo('clusters').nullable(),
    node: relationTo('nodes').nullable(),
    device: relationTo('devices').nullable(),
    code: z
      .string()
      .refine((code) => alertCodes.includes(code), { error: 'Unknown code. docs/checks.md lists the codes.' })
      .nullable(),
    subject: boundedText(512).min(1).nullable(),
  })
  .partial()
  .refine((matchers) => Object.values(matchers).some((value) => value != null), {
    error: 'Name at least one of cluster, node, device, code and subject.',
  })

export const AlertSilenceInput = z
  .object({
    matchers: MatchersInput,
    until_worse: z.boolean().default(false),
    starts_at: Time.optional().meta({ description: 'Now, unless given' }),
    ends_at: Time.meta({ description: `At most ${longestSilenceDays} days after its start` }),
    comment: boundedText(500).default(''),
  })
  .meta({
    examples: [
      {
        matchers: { code: 'DEVICE_UNMOUNTED', subject: 'd5' },
        starts_at: '2038-11-22T22:00:00Z',
        ends_at: '2038-11-23T06:00:00Z',
        comment: 'disk swap',
      },
    ],
  })
export type AlertSilenceInput = z.infer<typeof AlertSilenceInput>

export const AlertSilenceChange = z
  .object({ until_worse: z.boolean(), ends_at: Time, comment: boundedText(500) })
  .partial()
  .meta({ examples: [{ comment: 'disk swap, second attempt' }] })
export type AlertSilenceChange = z.infer<typeof AlertSilenceChange>

export const alertSilenceRules = {
  filters: {
    ...byId,
    ...throughCluster,
    ...throughNode,
    device: { relation: 'devices' },
    code: 'text',
    operator: 'text',
    ...timeRange('ends_at'),
  },
  ordering: ['id', 'starts_at', 'ends_at'],
  observed: [],
} as const satisfies ResourceRules
