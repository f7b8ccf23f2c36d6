import type { ProxyKeystone } from '../swift/configuration.js'
import type { Keystone } from './keystone.js'
import type { KeystoneSession } from './session.js'

export interface CatalogEndpoint {
  readonly interface: 'public' | 'internal' | 'admin'
  readonly region: string
  /** Such as `http://127.0.2.1:8080`. */
  readonly origin: string
}

const proxies = { user: 'swift', password: 'password-of-the-proxies' } as const

/** Adds Swift to the catalog, and the user by which its proxies check tokens. */
export async function registerSwift(keystone: Keystone, endpoints: readonly CatalogEndpoint[]): Promise<ProxyKeystone> {
  const admin = await keystone.admin()
  const project = await addProject(admin, 'service')
  const user = await addUser(admin, proxies.user, proxies.password)
  await grantRole(admin, 'admin', user, project)
  const service = await admin.make('/services', 'service', { name: 'swift', type: 'object-store' })
  for (const { interface: name, region, origin } of endpoints) {
    const url = `${origin}/v1/AUTH_%(project_id)s`
    await admin.make('/endpoints', 'endpoint', { service_id: service.id, interface: name, region, url })
  }
  return { url: keystone.url, ...proxies, ca: keystone.ca ?? '' }
}

/** Adds a project to a domain, by the id of the domain; answers the project's id. */
export async function addProject(admin: KeystoneSession, name: string, domain = 'default'): Promise<string> {
  return (await admin.make('/projects', 'project', { name, domain_id: domain })).id
}

/** Answers the id of the user. */
export async function addUser(
  admin: KeystoneSession,
  name: string,
  password: string,
  domain = 'default',
): Promise<string> {
  return (await admin.make('/users', 'user', { name, password, domain_id: domain })).id
}

export async function grantRole(admin: KeystoneSession, name: string, user: string, project: string): Promise<void> {
  const { body } = await admin.call('GET', `/roles?name=${name}`)
  const [role] = body['roles'] as readonly { readonly id: string }[]
  const { status } = await admin.call('PUT', `/projects/${project}/users/${user}/roles/${role?.id}`)
  if (status !== 204) throw new Error(`Keystone answered ${status} for the role ${name}.`)
}
