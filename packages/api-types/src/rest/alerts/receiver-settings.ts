import { z } from 'zod'
import { Pem } from '../../values/pem.js'

export const AlertReceiverKind = z.enum(['webhook', 'email', 'alertmanager'])
export type AlertReceiverKind = z.infer<typeof AlertReceiverKind>

const noUrl = 'Use a URL such as https://alerts.example/roost, without user, password and fragment.'

const HttpUrl = z
  .string()
  .max(2048)
  .regex(/^https?:\/\/[!-~]+$/, { error: noUrl, abort: true })
  .refine((text) => URL.canParse(text), { error: noUrl, abort: true })
  .refine((text) => hasNoLogin(new URL(text)), { error: noUrl })

/** Text of a header: no line can end in it. */
function headerText(max: number) {
  return z
    .string()
    .max(max)
    .regex(/^[!-~](?:[ -~]*[!-~])?$/, 'Use printable ASCII characters, without a blank at either end.')
}

const http = {
  authorization: headerText(4096)
    .optional()
    .meta({ description: 'The header Authorization, such as "Bearer TOKEN" (secret)' }),
  ca: Pem.optional().meta({ description: 'Authorities (PEM) to trust instead of those of the machine' }),
}

export const WebhookSettings = z.strictObject({ url: HttpUrl, ...http })
export type WebhookSettings = z.infer<typeof WebhookSettings>

const Instance = HttpUrl.refine((text) => new URL(text).search === '', { error: 'Leave out the query.' })

export const AlertmanagerSettings = z.strictObject({
  urls: z
    .array(Instance)
    .min(1)
    .max(10)
    .meta({ description: 'Each instance of the cluster, without /api/v2: alerts are sent to all of them' }),
  ...http,
})
export type AlertmanagerSettings = z.infer<typeof AlertmanagerSettings>

const Address = z
  .string()
  .max(254)
  .regex(/^[^\s@<>,;:"()[\]\\\p{C}]{1,64}@[A-Za-z0-9.-]+$/u, 'Use an address such as storage@example.com.')

export const EmailSettings = z
  .strictObject({
    host: z.string().regex(/^[A-Za-z0-9.:-]{1,253}$/, 'Use the name or the address of a mail server.'),
    port: z.int().min(1).max(65_535).default(587),
    security: z.enum(['starttls', 'tls', 'none']).default('starttls').meta({
      description: 'starttls and tls refuse a server without TLS; none sends in plain text, and needs no login',
    }),
    user: headerText(256).optional(),
    password: z.string().min(1).max(1024).optional().meta({ description: 'Secret' }),
    from: Address,
    to: z.array(Address).min(1).max(20),
    ca: http.ca,
  })
  .refine(({ user, password }) => (user === undefined) === (password === undefined), {
    error: 'Set user and password together.',
    path: ['password'],
  })
  .refine(({ user, security }) => user === undefined || security !== 'none', {
    error: 'A login needs starttls or tls: the password would be sent in plain text.',
    path: ['security'],
  })
export type EmailSettings = z.infer<typeof EmailSettings>

/** THE LIST of kinds, each with its settings. */
export const receiverSettings = {
  webhook: WebhookSettings,
  email: EmailSettings,
  alertmanager: AlertmanagerSettings,
} as const satisfies Record<AlertReceiverKind, z.ZodType>

/** The settings of one kind of receiver. */
export type AlertReceiverSettings =
  | ({ readonly kind: 'webhook' } & WebhookSettings)
  | ({ readonly kind: 'email' } & EmailSettings)
  | ({ readonly kind: 'alertmanager' } & AlertmanagerSettings)

function hasNoLogin({ username, password, hash }: URL): boolean {
  return [username, password, hash].every((part) => part === '')
}
