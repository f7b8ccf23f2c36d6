import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { Applier } from '../../deployments/applier.js'
import { openMachine } from '../../machine/machine.js'
import type { CommandResult, RunCommand } from '../../machine/run-command.js'
import type { Mounts } from '../../mounts/desired/mounts.js'
import { sharePath } from '../../mounts/desired/share-path.js'
import { exportsFormat } from '../servers/kernel-nfs/format.js'
import { createGatewayApplier } from '../gateway-applier.js'
import { gatewayState } from '../gateway-state.js'
import { createShareAccounts } from '../share-accounts.js'
import { openServers } from '../share-servers.js'

/** A client of Samba. */
export interface ScriptedSession {
  readonly pid: string
  readonly share: string
  readonly address: string
  readonly user: string
}

/** A gateway in a folder: its servers are what a script makes of their commands. */
export interface ScriptedGateway {
  readonly root: string
  readonly applier: Applier<'gateway'>
  /** Every command, in order, as one line. */
  readonly commands: string[]
  readonly sessions: ScriptedSession[]
  /** The shares that Samba shows to anybody. */
  readonly listed: string[]
  /** The requests to the mounts, with the folders that stay as they are. */
  readonly mounts: string[]
  /** Ids of shares that cannot be mounted. */
  readonly broken: Set<number>
  /** Makes commands that begin with a text answer something else, `times` times. */
  fail(command: string, stderr: string, times?: number): void
  read(path: string): string | undefined
  write(path: string, text: string): void
  /** The same machine after a restart of the agent. */
  again(): Applier<'gateway'>
  remove(): void
}

const include = '[global]\n    include = /etc/samba/roost.d/shares.conf\n'

/** With `there`, the gateway that is in this folder already. */
export function scriptedGateway(there?: string): ScriptedGateway {
  const root = there ?? mkdtempSync(join(tmpdir(), 'roost-gateway-'))
  const commands: string[] = []
  const sessions: ScriptedSession[] = []
  const listed: string[] = []
  const mounts: string[] = []
  const broken = new Set<number>()
  const failures: { command: string; stderr: string; times: number }[] = []
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
  }
  const read = (path: string) => {
    try {
      return readFileSync(join(root, path), 'utf8')
    } catch {
      return undefined
    }
  }
  const run: RunCommand = async (file, args, { input }) => {
    const line = [file, ...args].join(' ')
    commands.push(file === 'unshare' ? 'unshare exportfs' : input === undefined ? line : `${line} <${input.length}`)
    const failure = failures.find(({ command, times }) => times > 0 && line.startsWith(command))
    if (failure !== undefined) {
      failure.times -= 1
      return answer('', 1, failure.stderr)
    }
    return answer(answers[file]?.(args, { read, write, sessions, listed }) ?? '')
  }
  if (there === undefined) {
    for (const [pid, name] of ['smbd', 'nfsd'].entries()) write(`/proc/${pid + 100}/comm`, `${name}\n`)
    write('/etc/samba/smb.conf', `[global]\n    workgroup = LAB\n${include}`)
    mkdirSync(join(root, 'srv/roost'), { recursive: true })
  }
  const again = () => createGatewayApplier(gatewayOf(root, run, standingMounts('/srv/roost', mounts, broken)))
  return {
    root,
    commands,
    sessions,
    listed,
    mounts,
    broken,
    read,
    write,
    again,
    applier: again(),
    fail: (command, stderr, times = 1) => void failures.push({ command, stderr, times }),
    remove: () => rmSync(root, { recursive: true, force: true }),
  }
}

function gatewayOf(root: string, run: RunCommand, mounts: Mounts) {
  const machine = openMachine(root)
  const gateway = {
    nfs: 'kernel',
    mounts: 'operator',
    mountDirectory: '/srv/roost',
    cacheDirectory: '/c',
    account: 'nobody',
  } as const
  const locations = { pathOf: (share: { readonly id: number }) => mounts.pathOf(share), account: 'nobody' }
  return {
    machine,
    mounts,
    servers: openServers({ machine, run, gateway, locations }),
    accounts: createShareAccounts(run),
    state: gatewayState(join(root, 'state'), 'node'),
  }
}

/** Every folder is there, but for those of shares that are broken. */
function standingMounts(directory: string, calls: string[], broken: ReadonlySet<number>): Mounts {
  const record = (what: string, folders: ReadonlySet<string> = new Set()) =>
    void calls.push([what, ...[...folders].toSorted()].join(' '))
  return {
    pathOf: (share) => sharePath(directory, share),
    plan: async () => ({ started: [], stopped: [], replaced: [], notes: [] }),
    async start({ shares }, behind) {
      record('start', behind)
      return shares.flatMap(({ id }) => (broken.has(id) ? [{ share: id, reason: `${id} could not be mounted.` }] : []))
    },
    keepUnchanged: async (behind) => record('keep unchanged', behind),
    async settle() {
      record('settle')
      return { missing: [], notes: [] }
    },
    abandon: async () => record('abandon'),
    drift: async () => [],
    servedBy() {},
    open: async () => {},
    close: async () => {},
  }
}

type Answer = (
  args: readonly string[],
  host: Pick<ScriptedGateway, 'read' | 'write'> & Pick<ScriptedGateway, 'sessions' | 'listed'>,
) => string

const answers: Readonly<Record<string, Answer>> = {
  testparm: ([, , copy = '']) => printed(readFileSync(copy, 'utf8')),
  smbstatus: (_args, { sessions }) => {
    return JSON.stringify({
      sessions: Object.fromEntries(sessions.map(({ user }, i) => [String(i), { username: user }])),
      tcons: Object.fromEntries(sessions.map(connectionOf)),
    })
  },
  smbcontrol: ([pid, message, share], { sessions }) => {
    if (message === 'close-share' && pid !== 'smbd')
      sessions.splice(0, Infinity, ...sessions.filter((each) => each.pid !== pid || each.share !== share))
    return 'PONG'
  },
  exportfs: (_args, { read, write }) => {
    write('/var/lib/nfs/etab', etabOf(read('/etc/exports.d/roost.exports') ?? ''))
    return ''
  },
  unshare: (args) => etabOf(readFileSync(join(args.at(-1) ?? '', 'etc/exports.d/roost.exports'), 'utf8')),
  smbclient: (_args, { listed }) => listed.map((name) => `Disk|${name}|\n`).join(''),
  getent: () => 'share-1:x:999:100::/:/usr/sbin/nologin',
}

function connectionOf({ share, address, pid }: ScriptedSession, i: number) {
  return [String(i), { service: share, machine: address, session_id: String(i), server_id: { pid } }]
}

/** As `testparm -s` prints it: what is not a comment, indented by tabs. */
function printed(text: string): string {
  const lines = text.split('\n').map((line) => line.trim())
  return lines
    .filter((line) => line !== '' && !line.startsWith('#') && !line.startsWith('include'))
    .map((line) => (line.startsWith('[') ? line : `\t${line}`))
    .join('\n')
}

function etabOf(text: string): string {
  const lines = exportsFormat.parse(text)
  return lines
    .flatMap(({ path, clients }) =>
      clients.map(({ host, options }) => `${path}\t${host}(${options.join(',')},sec=sys)\n`),
    )
    .join('')
}

function answer(stdout: string, exitCode = 0, stderr = ''): CommandResult {
  return { outcome: 'exited', exitCode, stdout, stderr, ended: Promise.resolve() }
}
