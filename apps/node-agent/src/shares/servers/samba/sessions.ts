import { describeFailure, type RunCommand } from '../../../machine/run-command.js'
import { losesAccess, plainAddress } from '../allowed-clients.js'
import { isNarrowed, spelledSettings } from '../spelled-settings.js'
import { accessOf } from './config.js'
import type { SambaSection } from './format.js'
import type { LiveSession, LossOptions } from '../share-server.js'

/** A connection of a client to one share. */
interface Connection {
  readonly share: string
  /** Id of the process that serves the client. */
  readonly pid: string
  readonly address: string
  readonly user: string
}

interface Printed {
  readonly sessions?: Readonly<Record<string, { readonly username: string }>>
  readonly tcons?: Readonly<
    Record<
      string,
      {
        readonly service: string
        readonly machine: string
        readonly session_id: string
        readonly server_id: { readonly pid: string }
      }
    >
  >
}

/** Samba's own default for guests. */
const guestAccount = 'nobody'
const deadlineMs = 10_000
const maxOutputBytes = 64 << 20

/** Reads the connected clients of all shares. Rejects where Samba does not answer. */
async function readConnections(run: RunCommand): Promise<readonly Connection[]> {
  const result = await run('smbstatus', ['--json'], { deadlineMs, maxOutputBytes })
  if (result.exitCode !== 0) throw new Error(`The sessions of Samba cannot be read: ${describeFailure(result)}.`)
  const { sessions = {}, tcons = {} } = JSON.parse(result.stdout) as Printed
  return Object.values(tcons).map(({ service, machine, session_id, server_id }) => ({
    share: service,
    pid: server_id.pid,
    address: plainAddress(machine),
    user: sessions[session_id]?.username ?? '',
  }))
}

/**
 * Returns the connections that the new sections do not permit. Samba keeps an open connection at what was permitted when it
 * was made; and it closes a share for a whole client, so that every connection of such a client to it is among them.
 */
export async function sambaSessionsLost(
  before: readonly SambaSection[],
  after: readonly SambaSection[],
  { gone }: Pick<LossOptions, 'gone'>,
  run: RunCommand,
): Promise<readonly LiveSession[]> {
  const [old, next] = [byName(before), byName(after.filter((section) => !gone.has(accessOf(section).path ?? '')))]
  if (![...old].some(([name, section]) => isNarrower(section, next.get(name)))) return []
  const ours = (await readConnections(run)).filter(({ share }) => old.has(share.toLowerCase()))
  const lost = new Set(
    ours
      .filter((connection) => {
        const name = connection.share.toLowerCase()
        return isLost(connection, old.get(name), next.get(name))
      })
      .map(keyOf),
  )
  return ours.filter((connection) => lost.has(keyOf(connection))).map((connection) => sessionOf(connection, run))
}

function byName(sections: readonly SambaSection[]): ReadonlyMap<string, SambaSection> {
  return new Map(sections.map((section) => [section.name.toLowerCase(), section]))
}

function keyOf({ pid, share }: Connection): string {
  return `${pid} ${share.toLowerCase()}`
}

function sessionOf({ share, pid, address, user }: Connection, run: RunCommand): LiveSession {
  return {
    share,
    client: address,
    user: user === '' ? null : user,
    async end() {
      const result = await run('smbcontrol', [pid, 'close-share', share], { deadlineMs })
      // A client that has gone by itself is what was wanted.
      if (result.outcome !== 'exited')
        throw new Error(`The share '${share}' cannot be closed: ${describeFailure(result)}.`)
    },
  }
}

/** Says whether a client can lose anything by the change. */
function isNarrower(before: SambaSection, after: SambaSection | undefined): boolean {
  if (after === undefined) return true
  const [old, next] = [accessOf(before), accessOf(after)]
  return (
    old.path !== next.path ||
    narrowedFor(before, after).length > 0 ||
    !keeps(old.accounts, next.accounts) ||
    !keeps(old.clients, next.clients)
  )
}

const narrowing = spelledSettings('samba').filter(({ row }) => typeof row.narrows === 'object')

/** Returns whose sessions lose something by each setting that narrows: of all clients, or of guests. */
function narrowedFor(before: SambaSection, after: SambaSection): readonly ('all' | 'guests')[] {
  const [old, next] = [new Map(before.settings), new Map(after.settings)]
  const narrowed = narrowing.filter((setting) =>
    isNarrowed(setting, old.get(setting.spelling.option), next.get(setting.spelling.option)),
  )
  return narrowed.map(({ row: { narrows } }) => (typeof narrows === 'object' ? narrows.whose : undefined) ?? 'all')
}

/** Says whether a list permits everything that the list before did; an empty list permits everything. */
function keeps(before: readonly string[], after: readonly string[]): boolean {
  return after.length === 0 || (before.length > 0 && before.every((item) => after.includes(item)))
}

function isLost(
  { address, user }: Connection,
  before: SambaSection | undefined,
  after: SambaSection | undefined,
): boolean {
  if (before === undefined) return false
  if (after === undefined) return true
  const [old, next] = [accessOf(before), accessOf(after)]
  const narrowed = narrowedFor(before, after)
  const isNoLongerNamed = !keeps(old.accounts, next.accounts) && !next.accounts.includes(user)
  return (
    old.path !== next.path ||
    narrowed.includes('all') ||
    (user === guestAccount && narrowed.includes('guests')) ||
    isNoLongerNamed ||
    losesAccess(address, old.clients, next.clients)
  )
}
