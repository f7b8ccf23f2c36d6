import { authVersionOf, ClusterIdentityInput, ClusterStorageInput, faultsOf } from '@roost/api-types/rest'
import type { ClusterIdentity, ClusterStorage } from '@roost/api-types/rest'
import type { Faults } from '../../form/use-form.js'
import { t } from '../../words/text.js'

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
  /** In place of the id, with the user that has the credential. An identity service has none. */
  readonly application_credential_name: string
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
    application_credential_name: '',
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
  const values = loginValues(login)
  const name = login?.application_credential_name ?? ''
  return {
    ...values,
    by: name === '' ? values.by : 'credential',
    application_credential_name: name,
    region: login?.region ?? '',
    interface: login?.interface ?? '',
  }
}

export function identityValues(login: ClusterIdentity | null): LoginValues {
  if (login === null) return loginValues(login)
  const { domain, role, reseller_role } = login
  return { ...loginValues(login), domain, role, reseller_role }
}

/** Which fields a login has, by its URL and by what it logs in with. */
export function storageFields(values: LoginValues): readonly (keyof LoginValues)[] {
  const version = authVersionOf(values.auth_url.trim())
  if (version === 1) return ['user']
  if (version === 2) return ['user', 'project', 'region', 'interface']
  const endpoint = ['region', 'interface'] as const
  const owner = ['user', 'user_domain'] as const
  const project = ['project', 'project_domain', ...endpoint] as const
  if (values.by === 'password') return ['by', ...owner, ...project]
  const isNamed = isFilled(values.application_credential_name) && !isFilled(values.application_credential_id)
  return ['by', 'application_credential_id', 'application_credential_name', ...(isNamed ? owner : []), ...project]
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

function isFilled(text: string): boolean {
  return text.trim() !== ''
}

/** The schemas know a credential only by its fields: one that was chosen and not given is a fault of its id. */
function withCredential(isMissing: boolean, faults: (given: { application_credential_id?: string }) => Faults): Faults {
  if (!isMissing) return faults({})
  return { ...faults({ application_credential_id: 'x' }), application_credential_id: [t('logins.credentialMissing')] }
}

export function checkStorage(values: LoginValues): Faults {
  const hasCredential = isFilled(values.application_credential_id) || isFilled(values.application_credential_name)
  const isMissing = storageFields(values).includes('application_credential_id') && !hasCredential
  return withCredential(isMissing, (given) => faultsOf(ClusterStorageInput, { ...storageInput(values), ...given }))
}

export function checkIdentity(values: LoginValues): Faults {
  const isMissing = values.by === 'credential' && !isFilled(values.application_credential_id)
  return withCredential(isMissing, (given) => faultsOf(ClusterIdentityInput, { ...identityInput(values), ...given }))
}
