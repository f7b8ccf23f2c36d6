import { readFile } from 'node:fs/promises'
import { text } from 'node:stream/consumers'
import { DesiredState } from '@roost/api-types/agent'
import en from 'zod/v4/locales/en.js'
import { readConfig } from '../config.js'
import { openMachine } from '../machine/machine.js'
import { runCommand } from '../machine/run-command.js'
import type { DeclaredFile } from '../shares/servers/declared-file.js'
import { checkWithExportfs } from '../shares/servers/kernel-nfs/exportfs-check.js'
import { exportsFile } from '../shares/servers/kernel-nfs/render.js'
import { renderShares, type ShareServers } from '../shares/index.js'
import { locationsOf } from '../shares/share-locations.js'
import { detectNfsServer, NfsServerError } from '../shares/nfs-server.js'
import { differenceFrom, readBySamba } from '../shares/servers/samba/config.js'
import { sambaFormat } from '../shares/servers/samba/format.js'
import { sambaSharesFile } from '../shares/servers/samba/render.js'
import { CommandError, exitCodes } from './command/command-error.js'
import type { RenderFlags } from './command/flags.js'

// By default the schemas report nearly every fault as invalid input.
const { localeError: error } = en()

/** Prints every file that the desired shares would make, and writes none of them. */
export async function render(flags: RenderFlags): Promise<number> {
  const { gateway, root } = readConfig(flags)
  const shares = await readShares(flags.desired)
  const nfs = flags.backend ?? gateway.nfs ?? findNfsServer(root)
  if (nfs === null && shares.some((share) => share.protocol === 'nfs'))
    throw new CommandError('The desired state has NFS shares, but no NFS server is installed on this machine.', {
      remedy: 'Install nfs-ganesha or nfs-kernel-server, or choose one with --backend.',
    })
  const { generation } = flags
  const files = renderShares(shares, { servers: { nfs, cifs: 'samba' }, locations: locationsOf(gateway), generation })
  const checks = flags.check ? await check(files) : []
  print(files, checks, flags.output === 'json')
  return checks.some(({ verdict }) => verdict === 'refused') ? exitCodes.failed : exitCodes.ok
}

async function readShares(file: string) {
  const result = DesiredState.safeParse(parseJson(await readText(file)), { error })
  if (!result.success) {
    const faults = result.error.issues.map(({ path, message }) => `${path.join('.') || 'the document'}: ${message}`)
    throw new CommandError(`The desired state cannot be read: ${faults.join('; ')}.`, { exitCode: exitCodes.usage })
  }
  if (result.data.kind === 'gateway') return result.data.shares
  throw new CommandError(
    `The desired state is of the kind ${result.data.kind}, which has no shares. Use the desired state of a gateway.`,
    {
      exitCode: exitCodes.usage,
    },
  )
}

async function readText(file: string): Promise<string> {
  try {
    return file === '-' ? await text(process.stdin) : await readFile(file, 'utf8')
  } catch (error) {
    throw new CommandError(`The desired state cannot be read: ${(error as Error).message}.`, {
      exitCode: exitCodes.usage,
    })
  }
}

function parseJson(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    throw new CommandError('The desired state is not valid JSON.', { exitCode: exitCodes.usage })
  }
}

function findNfsServer(root: string): ShareServers['nfs'] {
  try {
    return detectNfsServer(openMachine(root))
  } catch (error) {
    if (!(error instanceof NfsServerError)) throw error
    throw new CommandError(error.message, { exitCode: exitCodes.usage })
  }
}

interface ServerCheck {
  readonly path: string
  readonly verdict: 'accepted' | 'refused'
  readonly message: string
}

/** nfs-ganesha alone cannot read a file without taking it. */
const readers: Readonly<Record<string, (text: string) => Promise<void>>> = {
  [sambaSharesFile]: async (text) => {
    const difference = differenceFrom(await readBySamba(text, runCommand), sambaFormat.parse(text))
    if (difference !== undefined) throw new Error(difference)
  },
  [exportsFile]: (text) => checkWithExportfs(text, runCommand),
}

async function check(files: readonly DeclaredFile[]): Promise<readonly ServerCheck[]> {
  const checks: ServerCheck[] = []
  for (const { path, content } of files) {
    const refused = await readers[path]?.(content).then(
      () => null,
      (error: unknown) => (error as Error).message,
    )
    if (refused === null) checks.push({ path, verdict: 'accepted', message: 'the server reads the file as intended' })
    if (typeof refused === 'string') checks.push({ path, verdict: 'refused', message: refused })
  }
  return checks
}

function print(files: readonly DeclaredFile[], checks: readonly ServerCheck[], asJson: boolean): void {
  if (asJson) {
    const plain = files.map(({ path, mode, content }) => ({ path, mode: mode.toString(8), content }))
    process.stdout.write(`${JSON.stringify({ files: plain, checks }, undefined, 2)}\n`)
    return
  }
  process.stdout.write(files.map(({ path, content }) => `==> ${path} <==\n${content}`).join('\n'))
  for (const { path, verdict, message } of checks) process.stderr.write(`${path} ${verdict}: ${message}.\n`)
}
