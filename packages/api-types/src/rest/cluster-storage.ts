import { z } from 'zod'
import { relationUri } from './dialect/uri.js'

const noUrl = 'Use an http or https URL such as https://swift.example:8080/auth/v1.0.'

const AuthUrl = z
  .string()
  .max(1024)
  .regex(/^https?:\/\/[!-~]+$/, { error: noUrl, abort: true })
  .refine((text) => URL.canParse(text), { error: noUrl, abort: true })
  .refine((text) => hasOnlyAddress(new URL(text)), { error: 'Leave out user, password, query and fragment.' })

const Login = z
  .string()
  .regex(/^[!-~]{1,256}$/, 'Use 1 to 256 printable ASCII characters without blanks, such as account:user.')

const Key = z
  .string()
  .regex(/^[!-~]{1,1024}$/, 'Use 1 to 1024 printable ASCII characters without blanks.')
  .refine((text) => !text.includes('%('), { error: 'Leave out %(: the gateway would expand it.' })

/** Holds the login of the gateways of a cluster to its Swift, without the key. */
export const ClusterStorage = z.object({ cluster: relationUri('clusters'), auth_url: z.string(), user: z.string() })
export type ClusterStorage = z.infer<typeof ClusterStorage>

/** The login (authentication version 1) of the account that holds the containers of shares. */
export const ClusterStorageInput = z.object({
  auth_url: AuthUrl,
  user: Login.refine((text) => !text.includes('%('), { error: 'Leave out %(.' }),
  key: Key,
})
export type ClusterStorageInput = z.infer<typeof ClusterStorageInput>

function hasOnlyAddress({ username, password, search, hash }: URL): boolean {
  return [username, password, search, hash].every((part) => part === '')
}
