import type { Machine } from '../../machine/machine.js'
import type { PlannedChange } from '../../prepare/change.js'
import { absent, readState } from '../../prepare/path-state.js'
import { plannedReverts } from '../../prepare/revert.js'
import type { Entry } from '../../prepare/record.js'
import { fileName } from '../users/location.js'
import { parseUserFile } from '../users/lines/render.js'
import { isOurs } from './proxy-plan.js'

/** What reverts the preparation of a proxy. */
export interface ProxyLeaving {
  readonly reverts: readonly PlannedChange[]
  /** How many users of Roost log in to this proxy until then. */
  readonly users: number
  /** True if the proxy reads a single file again. */
  readonly removesFolder: boolean
}

/** Plans how a proxy is reverted. Throws where files of others would not be read any more. */
export async function planProxyLeaving(
  machine: Machine,
  folder: string,
  entries: readonly Entry[],
): Promise<ProxyLeaving> {
  const removesFolder = entries.some(({ path, before }) => path === folder && before.kind === 'absent')
  const strangers = machine.list(folder).filter((name) => /^[^.].*\.conf$/.test(name) && !isOurs(name))
  if (removesFolder && strangers.length > 0)
    throw new Error(
      `The proxy would no longer read ${strangers.join(', ')} of ${folder}: copy these settings to proxy-server.conf and move the files away.`,
    )
  const path = `${folder}/${fileName}`
  const before = await readState(machine, path)
  const sentence = `Removes ${path}, which has the users of Roost.`
  const ofUsers = before.kind === 'file' ? [{ path, sentence, before, after: absent }] : []
  const users = before.kind === 'file' ? parseUserFile(before.text).length : 0
  return { reverts: await plannedReverts(machine, entries, ofUsers), users, removesFolder }
}
