import type { Command } from 'commander'
import type { Config } from '../../config.js'
import { readContexts, writeContexts } from '../client/contexts.js'
import { sendRequest } from '../client/http.js'
import type { Target } from '../client/target.js'
import { confirmYes } from '../terminal/confirm.js'
import { CommandError, exitCodes } from '../terminal/exit-codes.js'
import { readCaFile, readKeyOf } from '../terminal/key-file.js'
import type { Terminal } from '../terminal/terminal.js'
import { presentedAuthority } from './certificate.js'

interface LoginFlags {
  readonly name?: string
  readonly keyFile: string
  readonly caFile?: string
  readonly caSha256?: string
}

const help = `
The key is asked for, or read from standard input or --key-file: every account of the machine can read command lines. It is
stored with the authority in contexts.json below $XDG_CONFIG_HOME/roost (~/.config/roost), readable by this account alone.

--ca-sha256 has the digest that "roost token create -o json" prints. Without it and --ca-file, the digest that the server presents is shown
on a terminal, to be compared.`

/** Adds the command that stores how to call a control plane. */
export function addLogin(program: Command, _config: () => Config, terminal: Terminal): void {
  program
    .command('login <url>')
    .description('Store how to call a control plane, and use it from now on')
    .option('--name <name>', 'name of the context (default: host of the URL)')
    .option('--key-file <path>', 'file whose first line is NAME:KEY, or - for standard input', '-')
    .option('--ca-file <path>', 'certificate (PEM) of the authority to trust, such as ca.pem of the data directory')
    .option('--ca-sha256 <digest>', 'SHA-256 of the public key of the authority')
    .addHelpText('after', help)
    .action(async (text: string, flags: LoginFlags) => {
      const url = originOf(text)
      const ca = await authorityOf(url, flags, terminal)
      const apiKey = await readKeyOf(url, flags.keyFile, terminal.err)
      if (!/^[^:\s]+:\S+$/.test(apiKey))
        throw new CommandError('The key must be NAME:KEY, as "roost key create" prints it.', exitCodes.usage)
      await requireAccepted({ url, ca: ca ?? undefined }, apiKey)
      const { contexts } = await readContexts()
      const name = flags.name ?? new URL(url).hostname
      await writeContexts({ current: name, contexts: { ...contexts, [name]: { url, ca, apiKey } } })
      terminal.out.write(`logged in to ${url} as ${apiKey.split(':', 1)[0]}; context ${name} is the current one\n`)
    })
}

function originOf(text: string): string {
  const full = /^[a-z]+:\/\//.test(text) ? text : `https://${text}`
  const url = URL.canParse(full) ? new URL(full) : undefined
  if (url !== undefined && /^https?:$/.test(url.protocol) && url.href === `${url.origin}/`) return url.origin
  throw new CommandError(`'${text}' is not a URL without a path, such as https://roost.example:8443.`, exitCodes.usage)
}

/** Returns the authority to trust; null if the system's are. */
async function authorityOf(url: string, flags: LoginFlags, terminal: Terminal): Promise<string | null> {
  const pem = await readCaFile(flags.caFile)
  if (pem !== undefined || url.startsWith('http:')) return pem ?? null
  const { pem: presented, sha256, isTrusted } = await presentedAuthority(url)
  if (flags.caSha256 !== undefined) {
    const expected = flags.caSha256
      .replace(/^sha256:/i, '')
      .replaceAll(':', '')
      .toLowerCase()
    if (expected === sha256) return presented
    throw new CommandError(
      `The authority of ${url} has the digest ${sha256}, not ${expected}. Check the URL, and that nothing intercepts the connection.`,
    )
  }
  if (isTrusted) return null
  if (!terminal.in.isTTY)
    throw new CommandError(
      `The authority of ${url} is not known here. Pass --ca-sha256 ${sha256} after comparing it with the one that "roost token create -o json" prints, or --ca-file.`,
    )
  await confirmYes(
    terminal,
    {},
    `The authority of ${url} is not known here. The SHA-256 of its key is ${sha256}.\nTrust it?`,
  )
  return presented
}

async function requireAccepted(target: Target, apiKey: string): Promise<void> {
  const headers = { authorization: `apikey ${apiKey}` }
  const { status } = await sendRequest(target, { path: '/api/v1/clusters/?limit=1', headers })
  if (status === 401) throw new CommandError(`${target.url} refused the key.`, exitCodes.unauthorized)
  if (status !== 200) throw new CommandError(`${target.url} answered with status ${status}. Nothing was stored.`)
}
