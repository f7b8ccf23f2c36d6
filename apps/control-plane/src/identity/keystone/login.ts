/** The login with which the users of a cluster are managed in Keystone. */
export interface KeystoneLogin {
  /** Of version 3, without a slash at the end. */
  readonly authUrl: string
  readonly user: string | null
  readonly userDomain: string | null
  readonly project: string | null
  readonly projectDomain: string | null
  readonly applicationCredentialId: string | null
  readonly key: string
  readonly ca: string | null
}

const defaultDomain = 'Default'

/** Returns the body of a request for a token. */
export function authBody(login: KeystoneLogin): object {
  const { applicationCredentialId: id, key } = login
  if (id !== null)
    return { auth: { identity: { methods: ['application_credential'], application_credential: { id, secret: key } } } }
  const domain = { name: login.userDomain ?? defaultDomain }
  const user = { name: login.user, domain, password: key }
  const scope =
    login.project === null
      ? { system: { all: true } }
      : { project: { name: login.project, domain: { name: login.projectDomain ?? domain.name } } }
  return { auth: { identity: { methods: ['password'], password: { user } }, scope } }
}
