import { readManagedFile } from '../machine/managed-file.js'
import type { Applier } from '../deployments/applier.js'
import { applyGateway } from './apply.js'
import { gatewayDrift } from './drift.js'
import type { Gateway } from './gateway.js'
import { planGateway } from './plan.js'
import type { ShareServer } from './servers/share-server.js'
import { watchFiles } from './watch-files.js'

/** Creates the applier of shares, which writes the files of this machine's servers and checks what they serve. */
export function createGatewayApplier(gateway: Gateway): Applier<'gateway'> {
  const { machine, mounts, servers } = gateway
  const onFolders = async (
    ids: readonly number[],
    act: (server: ShareServer, text: string, paths: ReadonlySet<string>) => Promise<void>,
  ) => {
    const paths = new Set(ids.map((id) => mounts.pathOf({ id })))
    for (const server of servers.all) {
      const text = (await readManagedFile(machine.path(server.file)))?.toString()
      if (text !== undefined && server.isRunning()) await act(server, text, paths)
    }
  }
  mounts.servedBy({
    release: (ids) => onFolders(ids, (server, text, paths) => server.release(text, paths)),
    restore: (ids) => onFolders(ids, (server, text, paths) => server.restore(text, paths)),
  })
  return {
    kind: 'gateway',
    plan: (desired) => planGateway(gateway, desired),
    apply: (desired, generation, progress) => applyGateway(gateway, desired, generation, progress),
    drift: () => gatewayDrift(gateway),
    watch: (changed) =>
      watchFiles(
        machine,
        servers.all.map(({ file }) => file),
        changed,
      ),
  }
}
