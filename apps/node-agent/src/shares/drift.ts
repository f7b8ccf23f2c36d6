import type { DriftedItem } from '@roost/api-types/agent'
import { errorText } from '@roost/runtime'
import { readManagedFile } from '../machine/managed-file.js'
import type { Gateway } from './gateway.js'
import { sha256 } from './gateway-state.js'
import { bodyOf } from './plan.js'
import type { Adoption, ShareServer } from './servers/share-server.js'
import { unifiedDiff } from '../machine/unified-diff.js'

/** Returns the differences from the last deployment: in our files, in what their servers serve, in the mounts. */
export async function gatewayDrift({ machine, servers, mounts, state }: Gateway): Promise<readonly DriftedItem[]> {
  const { files } = await state.readInForce()
  const items: DriftedItem[] = []
  for (const server of servers.all) {
    const hash = files[server.file]
    if (hash === undefined) continue
    const now = (await readManagedFile(machine.path(server.file)))?.toString()
    if (now !== undefined && sha256(now) === hash) items.push(...(await liveDrift(server, now)))
    else items.push(...(await fileDrift(server, now, (await state.readFile(server.file)) ?? '')))
  }
  return [...items, ...(await mounts.drift())]
}

async function fileDrift(
  server: ShareServer,
  now: string | undefined,
  inForce: string,
): Promise<readonly DriftedItem[]> {
  // A file without a share may be missing: that is no drift where Roost was removed.
  if (now === undefined && bodyOf(inForce) === '') return []
  const diff = await unifiedDiff(server.file, bodyOf(inForce), bodyOf(now ?? ''))
  if (now === undefined) return [{ subject: server.file, message: 'The file was removed.', diff }]
  const adoptable = adoptionOf(server, now, inForce)
  const message =
    adoptable === undefined
      ? 'The file was changed by hand in a way that no share setting can express.'
      : 'The file was changed by hand.'
  return [{ subject: server.file, message, diff, ...(adoptable === undefined ? {} : { adoptable: [...adoptable] }) }]
}

function adoptionOf(server: ShareServer, now: string, inForce: string): Adoption {
  try {
    return server.adopt(now, inForce)
  } catch {
    return undefined
  }
}

async function liveDrift(server: ShareServer, text: string): Promise<readonly DriftedItem[]> {
  if (bodyOf(text) === '') return []
  const faults = await faultsOf(server, text)
  if (faults.length === 0) return []
  const more = faults.length > 10 ? [`And ${faults.length - 10} more.`] : []
  return [{ subject: server.daemon, message: [...faults.slice(0, 10), ...more].join(' '), diff: '' }]
}

async function faultsOf(server: ShareServer, text: string): Promise<readonly string[]> {
  if (!server.isRunning()) return [`${server.daemon} is not running.`]
  try {
    return await server.faults(text)
  } catch (error) {
    return [errorText(error)]
  }
}
