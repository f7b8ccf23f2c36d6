import { resolve } from 'node:path'
import type { AlertReceiver, AlertReceiverInput } from '@roost/api-types/rest'
import { commandError } from '../client/api.js'
import { CommandError, exitCodes } from '../terminal/exit-codes.js'
import { readSettings } from '../terminal/settings-file.js'
import type { Described } from './documents.js'
import type { Faults } from './faults.js'
import type { Lookups } from './lookups.js'
import { changeStep, created, needs, requireSet, scopeOf } from './record-steps.js'
import { differing, valuesAfter } from './step.js'
import type { Changes, Step } from './step.js'

type Settings = AlertReceiverInput['settings']

/** Plans what brings a receiver of alerts to its document. */
export async function planAlertReceiver(
  document: Described<'alert_receiver'>,
  lookups: Lookups,
  faults: Faults,
): Promise<readonly Step[]> {
  const { kind, at, folder: _folder, settings_file: path, set, name, type, cluster, ...fields } = document
  const settings = await settingsOf(document, faults)
  const [present] = (await lookups.rpc.alertReceivers.list.query({ filters: { name } })).objects
  if (present !== undefined) {
    requireSet(document, `Receiver '${name}'`, present.set, faults)
    const scope = present.cluster === null ? null : await lookups.nameOf('clusters', present.cluster)
    if (scope !== cluster || present.kind !== type) {
      faults.add(
        `${at}: A receiver keeps its cluster and its type: '${name}' has cluster: ${scope} and type: ${present.kind}. Remove it first, or use another name.`,
      )
      return []
    }
    const news = settings === undefined ? {} : await settingsChanges(lookups, present, settings)
    const changed = differing(fields, { ...present })
    return changeStep({ kind, name }, { ...changed, ...news }, (rpc, _change, check) =>
      rpc.alertReceivers.change.mutate({
        id: present.id,
        change: { ...valuesAfter(changed), ...('settings' in news && { settings }) },
        ...check,
      }),
    )
  }
  if (path === undefined)
    faults.add(`${at}: Receiver '${name}' is new. Give the path of its settings as settings_file.`)
  const run: Step['run'] = async (rpc, check) => {
    const input = { name, kind: type, settings, ...fields, set, cluster: await scopeOf(rpc, cluster) }
    await rpc.alertReceivers.create.mutate({ ...(input as AlertReceiverInput), ...check })
    return undefined
  }
  const changes = created({ type, ...(cluster !== null && { cluster }), ...fields, set })
  return [{ action: 'create', kind, name, ...needs(cluster), changes, run }]
}

async function settingsOf(
  { at, folder, settings_file: path }: Described<'alert_receiver'>,
  faults: Faults,
): Promise<Settings | undefined> {
  if (path === undefined) return undefined
  try {
    return (await readSettings(resolve(folder, path))) as Settings
  } catch (error) {
    if (!(error instanceof CommandError)) throw error
    faults.add(`${at}: ${error.message}`, error.exitCode)
    return undefined
  }
}

/** Settings are never returned, so that the server compares them. What it refuses of them is a fault of the step. */
async function settingsChanges({ rpc }: Lookups, present: AlertReceiver, settings: Settings): Promise<Changes> {
  const change = { id: present.id, change: { settings }, validate_only: true } as const
  const after = await rpc.alertReceivers.change.mutate(change).catch((error: unknown) => {
    const known = commandError(error)
    if (known instanceof CommandError && known.exitCode === exitCodes.usage) return undefined
    throw error
  })
  // An older control plane does not say whether they differ.
  const isCompared = after?.settings_changed_at !== undefined
  if (isCompared && after.settings_changed_at === present.settings_changed_at) return {}
  return {
    settings: ['of before', 'of the file'],
    ...(after !== undefined && after.target !== present.target && { target: [present.target, after.target] }),
  }
}
