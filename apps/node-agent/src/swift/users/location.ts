import type { Machine } from '../../machine/machine.js'
import { findProxies } from './proxy-process.js'
import type { ProxyProcess } from './proxy-process.js'
import { readProxySettings } from './proxy-settings.js'
import type { ProxySettings } from './proxy-settings.js'
import type { UserEntry } from './render.js'

/** Sorted after what operators usually have there: of two lines for one setting, the proxy takes the later. */
export const fileName = '50-roost-users.conf'

/** Where users are deployed on this machine. */
export interface Place {
  /** The folder that the proxy reads, and our file in it, as the machine names them. */
  readonly folder: string
  readonly file: string
  readonly settings: ProxySettings
  /** Never empty. */
  readonly proxies: readonly ProxyProcess[]
}

/** What a proxy that merges several files reads. */
export function folderOf(swiftDirectory: string): string {
  return `${swiftDirectory}/proxy-server.conf.d`
}

/** Throws an error with the remedy if users cannot be deployed to this machine's proxy. */
export function findPlace(machine: Machine, kernel: Machine, swiftDirectory: string): Place {
  const folder = folderOf(swiftDirectory)
  const names = machine.list(folder).filter((name) => name.endsWith('.conf') && !name.startsWith('.'))
  const texts = names.filter((name) => name !== fileName).map((name) => machine.read(`${folder}/${name}`) ?? '')
  const running = findProxies(kernel)
  const proxies = running.filter(({ configuration }) => withoutSlash(configuration) === folder)
  // What authenticates matters more than how it is started.
  const whole = texts.length > 0 ? texts : [machine.read(`${swiftDirectory}/proxy-server.conf`) ?? '']
  const settings = readProxySettings(whole, machine.read(`${swiftDirectory}/memcache.conf`) ?? '')
  const [one] = running
  if (one === undefined)
    throw new Error(
      'No proxy server runs on this node: start it, and deploy again. If the node is to be no proxy, set its node_role.runs_proxy to false.',
    )
  if (proxies.length === 0)
    throw new Error(
      `The proxy server of this node reads ${one.configuration}, not the folder ${folder}: docs/agent.md says how to point it there.`,
    )
  checkAccounts(machine, proxies, settings)
  return { folder, file: `${folder}/${fileName}`, settings, proxies }
}

/** What bears the name of the proxy server is signalled, and must therefore be it. */
function checkAccounts(machine: Machine, proxies: readonly ProxyProcess[], { account }: ProxySettings): void {
  const uid = uidOf(machine, account)
  const stranger = proxies.find((proxy) => proxy.uid !== 0 && uid !== undefined && proxy.uid !== uid)
  if (stranger === undefined) return
  throw new Error(`The process ${stranger.pid} poses as the proxy server, and does not run as ${account}.`)
}

function uidOf(machine: Machine, account: string): number | undefined {
  const fields = (machine.read('/etc/passwd') ?? '').split('\n').map((line) => line.split(':'))
  const uid = fields.find(([name]) => name === account)?.[2]
  return uid === undefined ? undefined : Number(uid)
}

function withoutSlash(path: string): string {
  return path.replace(/\/+$/, '')
}

/** Throws when tempauth has a user of the same name that the operator configured. Such a line is never overwritten. */
export function checkCollisions({ settings }: Pick<Place, 'settings'>, entries: readonly UserEntry[]): void {
  const taken = new Map(
    settings.operatorUsers.flatMap(({ line, login }) => [
      [line.toLowerCase(), line],
      [login.toLowerCase(), line],
    ]),
  )
  const clashes = entries.flatMap(({ line, login }) => {
    const own = taken.get(line.toLowerCase()) ?? taken.get(login.toLowerCase())
    return own === undefined ? [] : [`'${login}' (${own})`]
  })
  if (clashes.length === 0) return
  throw new Error(
    `The proxy's own configuration has these users already, and they are left alone: ${clashes.slice(0, 10).join(', ')}. Take their lines out, or remove the users from Roost.`,
  )
}
