import type { InventoryGateway } from '@roost/api-types/agent'
import type { Machine } from './machine.js'
import type { RunCommand } from './run-command.js'

export type GatewaySoftware = keyof InventoryGateway

/** Where each is installed, how it says its version, and where in its answer that stands. */
const software: Readonly<Record<GatewaySoftware, { file: string; args: readonly string[]; pattern: RegExp }>> = {
  samba: { file: 'smbd', args: ['-V'], pattern: /Version (\S+)/ },
  nfs_ganesha: { file: 'ganesha.nfsd', args: ['-v'], pattern: /Release = V?(\S+)/ },
  nfs_kernel_server: { file: 'rpc.mountd', args: ['-v'], pattern: /version (\S+)/i },
  rclone: { file: 'rclone', args: ['version'], pattern: /rclone v?(\S+)/ },
}

const folders = ['/usr/sbin', '/usr/bin', '/usr/local/sbin', '/usr/local/bin', '/sbin', '/bin']
const deadlineMs = 5_000

/** Returns the path of a program of the gateway; undefined when it is not installed. */
export function findGatewaySoftware(machine: Machine, name: GatewaySoftware): string | undefined {
  return folders.map((folder) => `${folder}/${software[name].file}`).find((path) => machine.stamp(path) !== undefined)
}

export interface GatewayReader {
  read(): Promise<InventoryGateway>
}

/**
 * Reads the versions of the gateway software. A program is asked once as long as its file stays the same, and not at all
 * below another root: it would be this machine's libraries that answer.
 */
export function createGatewayReader(machine: Machine, run: RunCommand): GatewayReader {
  const known = new Map<string, string | null>()

  async function versionOf(name: GatewaySoftware): Promise<string | null> {
    const { args, pattern } = software[name]
    const path = findGatewaySoftware(machine, name)
    if (path === undefined || machine.root !== '/') return null
    const key = `${path} ${machine.stamp(path)}`
    const version = known.get(key)
    if (version !== undefined) return version
    const { stdout, stderr } = await run(path, args, { deadlineMs })
    const found = pattern.exec(`${stdout}\n${stderr}`)?.[1] ?? 'unknown'
    known.set(key, found)
    return found
  }

  return {
    async read() {
      const [samba, ganesha, kernel, rclone] = await Promise.all([
        versionOf('samba'),
        versionOf('nfs_ganesha'),
        versionOf('nfs_kernel_server'),
        versionOf('rclone'),
      ])
      return { samba, nfs_ganesha: ganesha, nfs_kernel_server: kernel, rclone }
    },
  }
}
