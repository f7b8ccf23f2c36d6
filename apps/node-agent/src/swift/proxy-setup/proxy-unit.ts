import type { Machine } from '../../machine/machine.js'
import { readUnitText, settingsOf } from '../../prepare/unit-text.js'
import { folderOf } from '../users/location.js'
import { findProxies } from '../users/proxy-process.js'

/** The unit of systemd that runs the proxy server of this machine. */
export interface ProxyUnit {
  readonly name: string
  /** True if it starts the proxy with the folder that merges several files. */
  readonly readsFolder: boolean
  /** The command that starts the proxy with the folder; null where the command of the unit names another configuration. */
  readonly folderCommand: string | null
}

/** Debian's name and that of RDO. */
const usualNames = ['swift-proxy.service', 'openstack-swift-proxy.service']

/** Finds the unit of the running proxy, else the one that is installed; null where systemd does not run it. */
export function findProxyUnit(machine: Machine, kernel: Machine, swiftDirectory: string): ProxyUnit | null {
  const running = findProxies(kernel).flatMap(({ unit }) => unit ?? [])
  for (const name of [...running, ...usualNames]) {
    const text = readUnitText(machine, name)
    if (text !== undefined) return unitOf(name, settingsOf(text, 'ExecStart').at(-1) ?? '', swiftDirectory)
  }
  return null
}

function unitOf(name: string, command: string, swiftDirectory: string): ProxyUnit {
  const [folder, file] = [folderOf(swiftDirectory), `${swiftDirectory}/proxy-server.conf`]
  const parts = command.split(/\s+/)
  const readsFolder = parts.some((one) => one.replace(/\/+$/, '') === folder)
  const replaced = parts.map((one) => (one === file ? folder : one)).join(' ')
  return { name, readsFolder, folderCommand: parts.includes(file) ? replaced : null }
}
