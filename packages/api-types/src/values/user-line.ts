/** A name that is a login (`<name>:<name>`), an account (`AUTH_<name>`) and a line of the cluster's authentication (tempauth). */
export const userNamePattern = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/

/** A key as tempauth reads it: a blank would end it, and begin the groups of its user. */
export const userKeyPattern = /^[!-~]{1,1024}$/

/** What tempauth would misread inside a key: interpolation, and a storage URL as the last word. */
export const misreadInKeys = ['%(', '://', '$HOST'] as const

/**
 * The name of a user's line in tempauth's section: `user_<account>_<user>`, and with both parts in unpadded base64 where
 * the name holds the separator itself.
 */
export function userLine(name: string): string {
  if (!name.includes('_')) return `user_${name}_${name}`
  const encoded = btoa(name).replaceAll('=', '')
  return `user64_${encoded}_${encoded}`
}

/**
 * The same without case: Swift's parser reads names of settings so, and the proxy does not start when two are equal.
 * Distinct names can meet here, since base64 tells case apart by its own case.
 */
export function userLineKey(name: string): string {
  return userLine(name).toLowerCase()
}
