import type { DesiredShare } from '@roost/api-types/agent'
import type { GatewayConfig } from '../config.js'
import type { Machine } from '../machine/machine.js'
import type { RunCommand } from '../machine/run-command.js'
import { createExportsServer } from './servers/kernel-nfs/server.js'
import { createGaneshaServer } from './servers/ganesha/server.js'
import { type Protocol, renderShares, requireDistinct, type ShareServers } from './index.js'
import type { ShareLocations } from './servers/validate-share.js'
import { bothRun, detectNfsServer, NfsServerError } from './nfs-server.js'
import { createSambaServer } from './servers/samba/server.js'
import type { ShareServer } from './servers/share-server.js'
import { isIdle, type ServerChange, readServerChange } from './server-change.js'

export interface ServersOptions {
  readonly machine: Machine
  readonly run: RunCommand
  readonly gateway: GatewayConfig
  readonly locations: ShareLocations
}

export interface Servers {
  readonly all: readonly ShareServer[]
  /** Reads what these shares change for each server of a protocol that serves them, or has a file of ours. */
  serverChanges(
    protocol: Protocol,
    shares: readonly DesiredShare[],
    generation: number,
  ): Promise<readonly ServerChange[]>
}

/** Opens the servers of shares on this machine. */
export function openServers({ machine, run, gateway, locations }: ServersOptions): Servers {
  const options = { machine, run, mountDirectory: gateway.mountDirectory }
  const samba = createSambaServer(options)
  const nfs = { kernel: createExportsServer(options), ganesha: createGaneshaServer(options) }
  const all = [nfs.kernel, nfs.ganesha, samba]
  const render = (shares: readonly DesiredShare[], servers: Partial<ShareServers>, generation: number) =>
    renderShares(shares, { servers: { nfs: null, cifs: null, ...servers }, locations, generation })
  const files = {
    cifs: (shares: readonly DesiredShare[], generation: number) => render(shares, { cifs: 'samba' }, generation),
    nfs(shares: readonly DesiredShare[], generation: number) {
      const chosen = choose(shares)
      // The server that is not chosen keeps nothing of ours.
      const other = chosen === 'kernel' ? 'ganesha' : 'kernel'
      return [...render([], { nfs: other }, generation), ...render(shares, { nfs: chosen }, generation)]
    },
  }
  return {
    all,
    async serverChanges(protocol, shares, generation) {
      requireDistinct(shares)
      const own = shares.filter((share) => share.protocol === protocol)
      const declared = new Map(files[protocol](own, generation).map((file) => [file.path, file]))
      const serverChanges: ServerChange[] = []
      for (const server of all) {
        const file = declared.get(server.file)
        if (file !== undefined) serverChanges.push(await readServerChange(server, file, machine))
      }
      return serverChanges.filter((serverChange) => !isIdle(serverChange))
    },
  }

  /** Returns the NFS server. It is only detected where there is something to serve. */
  function choose(shares: readonly DesiredShare[]): ShareServers['nfs'] {
    if (shares.length === 0) return gateway.nfs ?? 'kernel'
    if (nfs.kernel.isRunning() && nfs.ganesha.isRunning()) throw new NfsServerError(bothRun)
    return gateway.nfs ?? detectNfsServer(machine)
  }
}
