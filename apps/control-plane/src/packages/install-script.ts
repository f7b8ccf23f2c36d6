import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Package } from './list.js'

const template = readFileSync(join(import.meta.dirname, '../../assets/install.sh'), 'utf8')

/** What the script knows of the control plane that serves it; nothing of it is secret. */
export interface InstallSettings {
  readonly server: string
  /** Base64 of the SHA-256 of the server's public key; null where the system's authorities vouch for it. */
  readonly pin: string | null
  /** Hexadecimal SHA-256 of the authority's public key, for the agent. */
  readonly caSha256: string | null
  /** Unix seconds. */
  readonly now: number
  readonly packages: readonly Package[]
}

/** Returns the script that installs the agent, for this control plane. */
export function installScript({ server, pin, caSha256, now, packages }: InstallSettings): string {
  const table = packages.map(({ arch, format, sha256, bytes, file }) => `${arch} ${format} ${sha256} ${bytes} ${file}`)
  const settings = { server, pin: pin ?? '', ca_sha256: caSha256 ?? '', now: String(now), packages: table.join('\n') }
  return Object.entries(settings).reduce(
    (script, [name, value]) => script.replace(`\n${name}=''\n`, () => `\n${name}=${quoted(value)}\n`),
    template,
  )
}

/** Returns the option of curl that trusts the pinned key alone: with it, --insecure skips only the check by authorities. */
export function curlTrust(pin: string | null): string {
  return pin === null ? '' : ` --insecure --pinnedpubkey 'sha256//${pin}'`
}

/** Returns one line for root on a new node. The token passes through the shell's standard input, so that no process list has it. */
export function installLine(server: string, pin: string | null, token: string, flags: readonly string[]): string {
  const fetch = `curl -fsS${curlTrust(pin)} ${server}/install.sh`
  const refused = `echo 'echo "Nothing was changed: ${server} did not answer, or not with the key of this line. For a new line, run roost token create." >&2; exit 1'`
  return `{ ${fetch} || ${refused}; echo 'enroll ${token}'; } | sh${flags.length === 0 ? '' : ` -s -- ${flags.join(' ')}`}`
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`
}
