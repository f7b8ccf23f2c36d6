import type { Machine } from '../machine/machine.js'
import { findGatewaySoftware } from '../machine/gateway-software.js'
import { readPrograms } from '../machine/running-programs.js'
import type { ShareServers } from './index.js'

/** Two servers of NFS, of which only an operator can say which one is to serve. */
export class NfsServerError extends Error {
  override readonly name = 'NfsServerError'
}

export const bothRun =
  "The kernel's NFS server and nfs-ganesha are both running on this node, but only one of them can serve clients. Stop one of them, and deploy again."

/** Returns the NFS server that runs on the machine, else the one that is installed; null where there is none. */
export function detectNfsServer(machine: Machine): ShareServers['nfs'] {
  const programs = readPrograms(machine)
  const [kernel, ganesha] = [programs.has('nfsd') || programs.has('rpc.mountd'), programs.has('ganesha.nfsd')]
  if (kernel && ganesha) throw new NfsServerError(bothRun)
  if (kernel) return 'kernel'
  if (ganesha) return 'ganesha'
  const isInstalled = (name: 'nfs_kernel_server' | 'nfs_ganesha') => findGatewaySoftware(machine, name) !== undefined
  return installed(isInstalled('nfs_kernel_server'), isInstalled('nfs_ganesha'))
}

function installed(kernel: boolean, ganesha: boolean): ShareServers['nfs'] {
  if (kernel && ganesha)
    throw new NfsServerError(
      `The kernel's NFS server and nfs-ganesha are both installed here, and neither is running. Set gateway.nfs in the agent's configuration to the one that serves the shares.`,
    )
  if (kernel) return 'kernel'
  return ganesha ? 'ganesha' : null
}
