import { removeManagedFile, writeManagedFile } from '../../machine/managed-file.js'
import { renderRcloneConfig } from './config.js'
import type { Logins } from './config.js'

/** Returns the path of the authorities of a login, beside rclone's configuration. */
export function caFileOf(configFile: string, remote: string): string {
  return configFile.replace(/[^/]*$/, `${remote}.pem`)
}

/** Writes rclone's configuration and the authorities of its logins; removes those of logins that are not used any longer. */
export async function writeLoginFiles(configFile: string, logins: Logins, before: Logins = {}): Promise<void> {
  for (const [remote, { ca }] of Object.entries(logins))
    if (ca !== undefined) await writeManagedFile(caFileOf(configFile, remote), ca)
  await writeManagedFile(configFile, renderRcloneConfig(logins))
  for (const [remote, { ca }] of Object.entries(before))
    if (ca !== undefined && logins[remote]?.ca === undefined) await removeManagedFile(caFileOf(configFile, remote))
}
