import { describeFailure, type RunCommand } from '../../../machine/run-command.js'
import { plainAddress } from '../allowed-clients.js'

const deadlineMs = 10_000
const maxOutputBytes = 64 << 20

/** nfs-ganesha by its D-Bus interface. Every method rejects where it does not answer. */
export interface GaneshaBus {
  /** Paths of what it exports now, by Export_Id; not its own root. */
  exports(): Promise<ReadonlyMap<number, string>>
  /** Lists the addresses of clients that it has seen. */
  clients(): Promise<readonly string[]>
  add(file: string, id: number): Promise<void>
  remove(id: number): Promise<void>
}

export function createGaneshaBus(run: RunCommand): GaneshaBus {
  const call = async (manager: 'ExportMgr' | 'ClientMgr', method: string, ...args: readonly string[]) => {
    const name = `org.ganesha.nfsd.${manager.toLowerCase()}.${method}`
    const to = ['--system', '--print-reply', '--dest=org.ganesha.nfsd', `/org/ganesha/nfsd/${manager}`, name]
    const result = await run('dbus-send', [...to, ...args], { deadlineMs, maxOutputBytes })
    if (result.exitCode === 0) return result.stdout
    throw new Error(
      `nfs-ganesha does not answer on D-Bus, so that its exports cannot be listed: ${describeFailure(result)}. Start D-Bus, then restart nfs-ganesha.`,
    )
  }
  return {
    async exports() {
      const pairs = (await call('ExportMgr', 'ShowExports')).matchAll(/uint16 (\d+)\s+string "(.*)"/g)
      const all = [...pairs].map(([, id, path = '']) => [Number(id), path] as const)
      return new Map(all.filter(([id]) => id !== 0))
    },
    async clients() {
      const addresses = (await call('ClientMgr', 'ShowClients')).matchAll(/^ {6}struct \{\s+string "(.*)"/gm)
      return [...new Set([...addresses].map(([, address = '']) => plainAddress(address)))]
    },
    async add(file, id) {
      await call('ExportMgr', 'AddExport', `string:${file}`, `string:EXPORT(Export_Id=${id})`)
    },
    async remove(id) {
      await call('ExportMgr', 'RemoveExport', `uint16:${id}`)
    },
  }
}
