/** A name that is a login (`<name>:<name>`), an account (`AUTH_<name>`) and a line of the cluster's authentication (tempauth). */
export const userNamePattern = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/

/** A key as tempauth reads it: a blank would end it, and begin the groups of its user. */
export const userKeyPattern = /^[!-~]{1,1024}$/

/** What tempauth would misread inside a key: interpolation, and a storage URL as the last group. */
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

/** The name of a line of tempauth as an operator may have written it. */
export const adoptableLinePattern = /^user(?:_[^\s_=:[\]%]+_[^\s_=:[\]%]+|64_[A-Za-z0-9+/]+_[A-Za-z0-9+/]+)$/

/** A group or a storage URL behind the key of a line. */
export const lineGroupPattern = /^[!-~]{1,512}$/

/** A storage URL, which is the last part of a line if it has one. */
export function isStorageUrl(group: string): boolean {
  return group.includes('://') || group.includes('$HOST')
}

/** Returns the login of a line's name; the name itself if tempauth would refuse it. */
export function loginOfLine(line: string): string {
  const [kind, account, user, ...more] = line.split('_')
  if (account === undefined || user === undefined || more.length > 0) return line
  try {
    const decode = kind === 'user64' ? decoded : (part: string) => part
    return `${decode(account)}:${decode(user)}`
  } catch {
    return line
  }
}

/** Throws for what is not base64. */
function decoded(part: string): string {
  return new TextDecoder().decode(Uint8Array.from(atob(part), (letter) => letter.charCodeAt(0)))
}

/**
 * The same without case: Swift's parser reads names of settings so, and the proxy does not start when two are equal.
 * Distinct names can meet here, since base64 tells case apart by its own case.
 */
export function userLineKey(name: string): string {
  return userLine(name).toLowerCase()
}
