type Optional<T> = T | null | undefined

/** The fields of a storage login that depend on each other. */
interface StorageFields {
  readonly auth_url: string
  readonly auth_version?: Optional<1 | 2 | 3>
  readonly user?: Optional<string>
  readonly key: string
  readonly user_domain?: Optional<string>
  readonly project?: Optional<string>
  readonly project_domain?: Optional<string>
  readonly region?: Optional<string>
  readonly interface?: Optional<string>
  readonly application_credential_id?: Optional<string>
  readonly application_credential_name?: Optional<string>
}

type Field = keyof StorageFields
type Fault = readonly [field: Field, sentence: string]

/** Only Keystone has these fields. */
export const keystoneFields: readonly Field[] = [
  'user_domain',
  'project',
  'project_domain',
  'region',
  'interface',
  'application_credential_id',
  'application_credential_name',
]
const version3Fields: readonly Field[] = [
  'user_domain',
  'project_domain',
  'application_credential_id',
  'application_credential_name',
]

/** Returns the version of authentication that the last segment of a URL names: 2 and 3 are Keystone's. */
export function authVersionOf(url: string): 1 | 2 | 3 {
  if (/\/v3\/?$/.test(url)) return 3
  return /\/v2\.0\/?$/.test(url) ? 2 : 1
}

/** Returns what is wrong with a storage login whose fields are right one by one, each with its remedy. */
export function storageFaults(login: StorageFields): readonly Fault[] {
  const found = authVersionOf(login.auth_url)
  const version = login.auth_version ?? found
  if (version !== found) return [otherVersion(version, found)]
  if (version === 1) return version1Faults(login)
  return version === 2 ? version2Faults(login) : version3Faults(login)
}

function otherVersion(given: 1 | 2 | 3, found: 1 | 2 | 3): Fault {
  if (given === 1) return ['auth_version', `This URL is of Keystone's version ${found}. Set auth_version to ${found}.`]
  const end = given === 3 ? '/v3' : '/v2.0'
  return ['auth_url', `The URL of version ${given} ends in ${end}, such as https://keystone.example:5000${end}.`]
}

/** Version 1 sends both as headers. */
function isHeader(text: Optional<string>): boolean {
  return /^[!-~]+$/.test(text ?? '')
}

function version1Faults(login: StorageFields): readonly Fault[] {
  return [
    ...(isHeader(login.user)
      ? []
      : [['user', 'Use 1 to 256 printable ASCII characters without blanks, such as account:user.'] as const]),
    ...(isHeader(login.key) ? [] : [['key', 'Use 1 to 1024 printable ASCII characters without blanks.'] as const]),
    ...refused(
      login,
      keystoneFields,
      'Only Keystone has this field. Use its URL, which ends in /v3, or leave this out.',
    ),
  ]
}

function version2Faults(login: StorageFields): readonly Fault[] {
  return [
    ...needed(login, 'user', "Keystone's version 2 needs a user."),
    ...needed(login, 'project', "Keystone's version 2 needs a project (tenant)."),
    ...refused(login, version3Fields, 'Only version 3 has this field. Use a URL that ends in /v3, or leave this out.'),
  ]
}

function version3Faults(login: StorageFields): readonly Fault[] {
  if (isSet(login.application_credential_id)) return credentialByIdFaults(login)
  const isByName = isSet(login.application_credential_name)
  return [
    ...needed(login, 'user', "Keystone's version 3 needs a user, or an application credential by its id."),
    ...needed(login, 'user_domain', "Keystone's version 3 needs the domain of the user, such as Default."),
    ...(isByName
      ? []
      : needed(
          login,
          'project',
          "Keystone's version 3 needs the project that owns the containers, or an application credential.",
        )),
    ...domainFaults(login),
  ]
}

function credentialByIdFaults(login: StorageFields): readonly Fault[] {
  const others = ['user', 'user_domain', 'application_credential_name'] as const
  const needsDomain = isSet(login.project) && !isSet(login.project_domain)
  return [
    ...refused(login, others, 'The id of an application credential is enough. Leave this out.'),
    ...(needsDomain ? [['project_domain', 'Add the domain of the project, such as Default.'] as const] : []),
    ...domainFaults(login),
  ]
}

function domainFaults(login: StorageFields): readonly Fault[] {
  if (!isSet(login.project_domain) || isSet(login.project)) return []
  return isSet(login.application_credential_id) || isSet(login.application_credential_name)
    ? [['project', 'Add the project of this domain, or leave out project_domain.']]
    : []
}

function needed(login: StorageFields, field: Field, sentence: string): readonly Fault[] {
  return isSet(login[field]) ? [] : [[field, sentence]]
}

function refused(login: StorageFields, fields: readonly Field[], sentence: string): readonly Fault[] {
  return fields.filter((field) => isSet(login[field])).map((field) => [field, sentence] as const)
}

function isSet(value: unknown): boolean {
  return value !== undefined && value !== null
}
