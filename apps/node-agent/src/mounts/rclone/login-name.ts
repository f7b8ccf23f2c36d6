import type { StorageLogin } from '@roost/api-types/agent'

/** Returns the name of a login in messages, such as `test:tester` or `shares of the project docs`. */
export function loginName(login: StorageLogin): string {
  const { user, project, application_credential_id: id, application_credential_name: credential } = login
  if (id !== undefined) return `the application credential ${id}`
  if (credential !== undefined) return `${user} by the application credential ${credential}`
  return project === undefined ? user : `${user} of the project ${project}`
}
