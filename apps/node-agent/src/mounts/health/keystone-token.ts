import type { StorageLogin } from '@roost/api-types/agent'
import * as z from 'zod/mini'
import type { StorageAnswer } from './storage-request.js'

export interface StorageToken {
  /** The account. */
  readonly url: string
  readonly token: string
  /** How long it is valid; undefined where the answer does not say. */
  readonly lifetimeMs: number | undefined
}

type KeystoneLogin = StorageLogin & { readonly auth_version: 2 | 3 }

export function isKeystoneLogin(login: StorageLogin): login is KeystoneLogin {
  return login.auth_version !== undefined
}

/** Returns the request for a token: its URL and its JSON. */
export function tokenRequest(login: KeystoneLogin): { readonly url: string; readonly body: object } {
  const base = login.auth_url.replace(/\/$/, '')
  if (login.auth_version === 3) return { url: `${base}/auth/tokens`, body: { auth: version3(login) } }
  const { user: username, key: password, project: tenantName } = login
  return { url: `${base}/tokens`, body: { auth: { passwordCredentials: { username, password }, tenantName } } }
}

function version3(login: StorageLogin): object {
  const { user: name, user_domain: userDomain, key, project, project_domain: projectDomain } = login
  const user = { name, domain: { name: userDomain } }
  const { application_credential_id: id, application_credential_name: credential } = login
  if (id !== undefined) return byCredential({ id, secret: key })
  // Keystone refuses a scope here: the credential has its own.
  if (credential !== undefined) return byCredential({ name: credential, secret: key, user })
  return {
    identity: { methods: ['password'], password: { user: { ...user, password: key } } },
    scope: { project: { name: project, domain: { name: projectDomain } } },
  }
}

function byCredential(credential: object): object {
  return { identity: { methods: ['application_credential'], application_credential: credential } }
}

const Endpoint = z.object({ region: z.nullish(z.string()), interface: z.string(), url: z.string() })
const Version3 = z.object({
  token: z.object({
    issued_at: z.optional(z.string()),
    expires_at: z.optional(z.string()),
    project: z.optional(z.object({ name: z.string(), domain: z.object({ name: z.string() }) })),
    catalog: z.prefault(z.array(z.object({ type: z.string(), endpoints: z.array(Endpoint) })), []),
  }),
})
const interfaces = ['public', 'internal', 'admin'] as const
const url = z.nullish(z.string())
const Endpoint2 = z.object({ region: z.nullish(z.string()), publicURL: url, internalURL: url, adminURL: url })
const Version2 = z.object({
  access: z.object({
    token: z.object({ id: z.string(), issued_at: z.optional(z.string()), expires: z.optional(z.string()) }),
    serviceCatalog: z.prefault(z.array(z.object({ type: z.string(), endpoints: z.array(Endpoint2) })), []),
  }),
})
const Refusal = z.object({ error: z.object({ message: z.string() }) })

/** Reads the answer to a request for a token. Throws with what Keystone answered, or with what its catalog lacks. */
export function readToken(login: KeystoneLogin, answer: StorageAnswer): StorageToken {
  if (answer.status < 200 || answer.status > 299) throw new Error(refusalOf(login, answer))
  return login.auth_version === 3 ? readVersion3(login, answer) : readVersion2(login, answer)
}

/** The longest message of Keystone that is repeated. */
const maxMessage = 300

function refusalOf({ auth_url: url }: StorageLogin, { status, text }: StorageAnswer): string {
  const refusal = Refusal.safeParse(parseJson(text))
  const message = refusal.success ? `: ${refusal.data.error.message.slice(0, maxMessage)}` : ''
  return `Keystone at ${url} answered with ${status}${message}`
}

function readVersion3(login: StorageLogin, { headers, text }: StorageAnswer): StorageToken {
  const read = Version3.safeParse(parseJson(text))
  const token = headers['x-subject-token']
  if (!read.success || typeof token !== 'string') throw new Error(unreadable(login))
  const { project, catalog, issued_at: issuedAt, expires_at: expiresAt } = read.data.token
  requireProject(login, project)
  const endpoints = catalog.flatMap(({ type, endpoints: all }) => (type === 'object-store' ? all : []))
  return { url: endpointOf(login, endpoints), token, lifetimeMs: lifetime(issuedAt, expiresAt) }
}

function readVersion2(login: StorageLogin, { text }: StorageAnswer): StorageToken {
  const read = Version2.safeParse(parseJson(text))
  if (!read.success) throw new Error(unreadable(login))
  const { token, serviceCatalog } = read.data.access
  const endpoints = serviceCatalog
    .flatMap(({ type, endpoints: all }) => (type === 'object-store' ? all : []))
    .flatMap(({ region, ...urls }) =>
      interfaces.flatMap((name) => {
        const url = urls[`${name}URL`]
        return url == null ? [] : [{ interface: name, region, url }]
      }),
    )
  const url = endpointOf(login, endpoints)
  return { url, token: token.id, lifetimeMs: lifetime(token.issued_at, token.expires) }
}

/** An application credential of another project would upload waiting files there. */
function requireProject(
  login: StorageLogin,
  found: { readonly name: string; readonly domain: { readonly name: string } } | undefined,
): void {
  const { project, project_domain: domain = found?.domain.name } = login
  if (project === undefined || (found?.name === project && found.domain.name === domain)) return
  const actual = found === undefined ? 'no project' : `the project ${found.name} of the domain ${found.domain.name}`
  throw new Error(`Keystone at ${login.auth_url} answered with a token of ${actual}, not of ${project}`)
}

function endpointOf(login: StorageLogin, endpoints: readonly z.infer<typeof Endpoint>[]): string {
  const { region, interface: wanted = 'public', auth_url: url } = login
  const fits = endpoints.find((one) => one.interface === wanted && (region === undefined || one.region === region))
  if (fits !== undefined) return fits.url.replace(/\/$/, '')
  const known = endpoints.map((one) => `${one.interface} in ${one.region ?? 'no region'}`).join(', ') || 'none'
  const where = region === undefined ? '' : ` in the region ${region}`
  throw new Error(
    `The catalog of Keystone at ${url} has no object-store endpoint with the interface ${wanted}${where} for this project. It has: ${known}`,
  )
}

function lifetime(issuedAt: string | undefined, expiresAt: string | undefined): number | undefined {
  const ms = Date.parse(expiresAt ?? '') - Date.parse(issuedAt ?? '')
  return Number.isFinite(ms) ? ms : undefined
}

function unreadable({ auth_url: url }: StorageLogin): string {
  return `Keystone at ${url} answered with something else than a token. Check the URL`
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
