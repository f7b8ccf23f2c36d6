import type { Machine } from '../../machine/machine.js'
import { findOtherServer, otherServerReason } from './other-servers.js'
import { findProxies } from './proxy-process.js'
import type { ProxyProcess } from './proxy-process.js'
import { readProxySettings } from './proxy-settings.js'
import type { ProxySettings } from './proxy-settings.js'
import type { UserEntry } from './lines/entry.js'

/** Sorted after what operators usually have there: of two lines for one setting, the proxy takes the later. */
export const fileName = '50-roost-users.conf'

/** The files and proxies to which users are deployed on this machine. */
export interface Location {
  /** The folder that the proxy reads, and our file in it, as paths of the machine. */
  readonly folder: string
  readonly file: string
  readonly settings: ProxySettings
  /** Never empty. */
  readonly proxies: readonly ProxyProcess[]
}

/** Returns the folder of a proxy that merges several files. */
export function folderOf(swiftDirectory: string): string {
  return `${swiftDirectory}/proxy-server.conf.d`
}

/** Returns the files that a proxy merges, without ours: those of its folder, else the one beside it. */
export function proxyFiles(machine: Machine, swiftDirectory: string): readonly string[] {
  const folder = folderOf(swiftDirectory)
  const names = machine.list(folder).filter((name) => name.endsWith('.conf') && !name.startsWith('.'))
  const paths = names.filter((name) => name !== fileName).map((name) => `${folder}/${name}`)
  return paths.length > 0 ? paths : [`${swiftDirectory}/proxy-server.conf`]
}

/** Throws an error with the remedy if users cannot be deployed to this machine's proxy. */
export function findLocation(machine: Machine, kernel: Machine, swiftDirectory: string): Location {
  const folder = folderOf(swiftDirectory)
  const running = findProxies(kernel)
  const proxies = running.filter(({ configuration }) => withoutSlash(configuration) === folder)
  // The authentication is checked before the way in which the proxy was started.
  const texts = proxyFiles(machine, swiftDirectory).map((path) => machine.read(path) ?? '')
  const settings = readProxySettings(texts, machine.read(`${swiftDirectory}/memcache.conf`) ?? '')
  const [one] = running
  if (one === undefined) throw new Error(notRunning(machine, kernel))
  if (proxies.length === 0)
    throw new Error(
      `The proxy server of this node reads ${one.configuration}, not the folder ${folder}. Point the proxy to that folder, see docs/proxies.md.`,
    )
  checkAccounts(machine, proxies, settings)
  return { folder, file: `${folder}/${fileName}`, settings, proxies }
}

function notRunning(machine: Machine, kernel: Machine): string {
  const other = findOtherServer(machine, kernel)
  if (other !== null) return otherServerReason(other)
  return 'No proxy server runs on this node. Start it and deploy again, or set node_role.runs_proxy of the node to false.'
}

/** Checks that processes with the name of the proxy server run as its account, because they get signals. */
function checkAccounts(machine: Machine, proxies: readonly ProxyProcess[], { account }: ProxySettings): void {
  const uid = uidOf(machine, account)
  const stranger = proxies.find((proxy) => proxy.uid !== 0 && uid !== undefined && proxy.uid !== uid)
  if (stranger === undefined) return
  throw new Error(
    `The process ${stranger.pid} has the name of the proxy server, but does not run as ${account}. Stop that process, or correct "user" in the configuration of the proxy.`,
  )
}

function uidOf(machine: Machine, account: string): number | undefined {
  const fields = (machine.read('/etc/passwd') ?? '').split('\n').map((line) => line.split(':'))
  const uid = fields.find(([name]) => name === account)?.[2]
  return uid === undefined ? undefined : Number(uid)
}

function withoutSlash(path: string): string {
  return path.replace(/\/+$/, '')
}

/**
 * Throws when tempauth has a user of the same name that the operator configured. Such a line is never replaced, unless it is one
 * of those that were adopted.
 */
export function checkCollisions(
  { settings }: Pick<Location, 'settings'>,
  entries: readonly UserEntry[],
  adopted: ReadonlySet<string>,
): void {
  const known = new Map(
    settings.operatorUsers.flatMap(({ line, login }) => [
      [line.toLowerCase(), line],
      [login.toLowerCase(), line],
    ]),
  )
  const clashes = entries.flatMap(({ line, login }) => {
    const own = known.get(line.toLowerCase()) ?? known.get(login.toLowerCase())
    return own === undefined || adopted.has(own) ? [] : [`'${login}' (${own})`]
  })
  if (clashes.length === 0) return
  throw new Error(
    `The proxy's own configuration already has these users: ${clashes.slice(0, 10).join(', ')}. Adopt them with \`roost user adopt\`, remove their lines there, or remove the users from Roost.`,
  )
}
