import { scrypt } from 'node:crypto'
import { promisify } from 'node:util'
import { parseIni } from './ini.js'

const derive = promisify(scrypt) as (secret: string, salt: string, length: number) => Promise<Buffer>

/** Separates this digest from any other one of the same values. */
const purpose = 'roost: suffix and prefix of swift.conf, version 1'

/**
 * Returns a digest of the suffix and prefix of swift.conf, by which nodes are compared. They are secrets, and often short: a slow
 * function keeps a reader of the digest from guessing them. Null where swift.conf has neither.
 */
export async function digestHashPath(swiftConf: string): Promise<string | null> {
  const settings = parseIni(swiftConf).get('swift-hash')
  const suffix = settings?.get('swift_hash_path_suffix') ?? ''
  const prefix = settings?.get('swift_hash_path_prefix') ?? ''
  if (suffix === '' && prefix === '') return null
  return (await derive(JSON.stringify([suffix, prefix]), purpose, 16)).toString('hex')
}
