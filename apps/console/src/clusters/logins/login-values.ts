import { authVersionOf, ClusterIdentityInput, ClusterStorageInput, faultsOf } from '@roost/api-types/rest'
import type { ClusterIdentity, ClusterStorage } from '@roost/api-types/rest'
import type { Faults } from '../../form/use-form.js'

/** What the forms of both logins contain. Each sends the fields that its login has. The key is never shown, so that it is always typed. */
export interface LoginValues {
  readonly auth_url: string
  readonly by: 'password' | 'credential'
  readonly user: string
  readonly key: string
  readonly user_domain: string
  readonly project: string
  readonly project_domain: string
  readonly application_credential_id: string
  readonly ca: string
  readonly region: string
  /** Empty: the default of the server. */
  readonly interface: string
  readonly domain: string
  readonly role: string
  readonly reseller_role: string
}

const texts = ['user', 'user_domain', 'project', 'project_domain', 'application_credential_id', 'ca'] as const
type Login = Readonly<Record<(typeof texts)[number] | 'auth_url', string | null>>

function loginValues(login: Login | null): LoginValues {
  const [user, userDomain, project, projectDomain, credential, ca] = texts.map((name) => login?.[name] ?? '')
  return {
    auth_url: login?.auth_url ?? '',
    by: credential ? 'credential' : 'password',
    user: user ?? '',
    key: '',
    user_domain: userDomain ?? '',
    project: project ?? '',
    project_domain: projectDomain ?? '',
    application_credential_id: credential ?? '',
    ca: ca ?? '',
    region: '',
    interface: '',
    domain: 'roost',
    role: 'member',
    reseller_role: 'ResellerAdmin',
  }
}

/** Returns what the form of a storage login begins with: the login of now without its key. */
export function storageValues(login: ClusterStorage | null): LoginValues {
  return { ...loginValues(login), region: login?.region ?? '', interface: login?.interface ?? '' }
}

export function identityValues(login: ClusterIdentity | null): LoginValues {
  if (login === null) return loginValues(login)
  const { domain, role, reseller_role } = login
  return { ...loginValues(login), domain, role, reseller_role }
}

/** Which fields a login has, by its URL and by what it logs in with. */
export function storageFields({ auth_url: url, by }: LoginValues): readonly (keyof LoginValues)[] {
  const version = authVersionOf(url.trim())
  if (version === 1) return ['user']
  if (version === 2) return ['user', 'project', 'region', 'interface']
  const endpoint = ['region', 'interface'] as const
  return by === 'credential'
    ? ['by', 'application_credential_id', 'project', 'project_domain', ...endpoint]
    : ['by', 'user', 'user_domain', 'project', 'project_domain', ...endpoint]
}

export function identityFields({ by }: LoginValues): readonly (keyof LoginValues)[] {
  return by === 'credential'
    ? ['by', 'application_credential_id']
    : ['by', 'user', 'user_domain', 'project', 'project_domain']
}

/** Returns the named fields that are not empty. */
function filled(values: LoginValues, names: readonly (keyof LoginValues)[]): { [K in keyof LoginValues]?: string } {
  const pairs = names.flatMap((name) => {
    const text = values[name].trim()
    return name === 'by' || text === '' ? [] : [[name, text] as const]
  })
  return Object.fromEntries(pairs)
}

export function storageInput(values: LoginValues): ClusterStorageInput {
  const { interface: endpoint, ...texts } = filled(values, [...storageFields(values), 'ca'])
  const interfaces = endpoint === undefined ? {} : { interface: endpoint as 'public' | 'internal' | 'admin' }
  return { ...texts, ...interfaces, auth_url: values.auth_url.trim(), key: values.key }
}

export function identityInput(values: LoginValues): ClusterIdentityInput {
  const { domain, role, reseller_role } = values
  const names = { domain: domain.trim(), role: role.trim(), reseller_role: reseller_role.trim() }
  const texts = filled(values, [...identityFields(values), 'ca'])
  return { ...texts, ...names, auth_url: values.auth_url.trim(), key: values.key }
}

export function checkStorage(values: LoginValues): Faults {
  return faultsOf(ClusterStorageInput, storageInput(values))
}

export function checkIdentity(values: LoginValues): Faults {
  return faultsOf(ClusterIdentityInput, identityInput(values))
}
