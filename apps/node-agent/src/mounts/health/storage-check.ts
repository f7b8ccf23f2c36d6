import type { StorageLogin } from '@roost/api-types/agent'
import { isKeystoneLogin } from './keystone-token.js'
import type { StorageClient } from './storage-client.js'

const forbidden = 403

/** Asks Swift once, with the login and for its account. Resolves to undefined when it answers, else to the reason; never rejects. */
export type StorageCheck = (login: StorageLogin) => Promise<string | undefined>

export function createStorageCheck(client: StorageClient): StorageCheck {
  return async (login) => {
    try {
      const account = await client.open(login)
      const { status } = await account.head()
      return status >= 200 && status < 300
        ? undefined
        : `${account.url} answered with ${status}${adviceOf(login, status)}`
    } catch (error) {
      return reasonOf(error)
    }
  }
}

/** Swift accepts a token of Keystone only with one of its `operator_roles`. */
function adviceOf(login: StorageLogin, status: number): string {
  if (status !== forbidden || !isKeystoneLogin(login)) return ''
  return ': give the user one of the operator_roles of Swift in this project'
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error.name === 'AbortError' || error.name === 'TimeoutError' ? 'no answer in time' : error.message
}
