import type { InventoryConfig } from '../config.js'
import type { Machine } from '../machine/machine.js'
import { unlessDenied } from '../machine/try-read.js'
import { parseIni } from '../swift/config/ini.js'
import { readSwiftServers } from '../swift/config/storage-servers.js'

/** Completes the configuration by the folders that Swift's servers are configured to use. */
export function withSwiftPaths<C extends InventoryConfig>(config: C, machine: Machine): C {
  const { storage } = readSwiftServers(machine, config.swiftDirectory)
  const rings = storage.find(({ ringDirectory }) => ringDirectory !== null)?.ringDirectory
  const recon = storage.find(({ reconCacheDirectory }) => reconCacheDirectory !== null)?.reconCacheDirectory
  return {
    ...config,
    ringDirectory: withoutSlash(rings ?? proxyRingDirectory(machine, config.swiftDirectory) ?? config.ringDirectory),
    reconCacheDirectory: config.isReconCacheDirectorySet
      ? config.reconCacheDirectory
      : (recon ?? config.reconCacheDirectory),
  }
}

/** A node that is only a proxy has rings, too. Its configuration has secrets, which the agent may not be permitted to read. */
function proxyRingDirectory(machine: Machine, swiftDirectory: string): string | undefined {
  const folder = `${swiftDirectory}/proxy-server.conf.d`
  const files = (unlessDenied(() => machine.list(folder)) ?? []).filter((name) => name.endsWith('.conf'))
  const paths = [`${swiftDirectory}/proxy-server.conf`, ...files.map((name) => `${folder}/${name}`)]
  const texts = paths.map((path) => unlessDenied(() => machine.read(path)) ?? '')
  return parseIni(...texts)
    .get('DEFAULT')
    ?.get('swift_dir')
}

function withoutSlash(path: string): string {
  return path.replace(/(?<=.)\/+$/, '')
}
