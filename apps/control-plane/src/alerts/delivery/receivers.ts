import { isDeepStrictEqual } from 'node:util'
import { fieldError } from '@roost/api-types/rest'
import type {
  AlertReceiverChange,
  AlertReceiverInput,
  AlertReceiverSettings,
  AlertReceiverTest,
} from '@roost/api-types/rest'
import { resources } from '@roost/api-types/rpc'
import type { AlertReceiverService } from '@roost/api-types/rpc'
import { errorText } from '@roost/runtime'
import { crudService } from '../../database/crud-service.js'
import type { Transaction } from '../../database/transaction.js'
import type { Writes } from '../../database/writes.js'
import { found } from '../../services/errors.js'
import { SecretError } from '../../secrets/secrets.js'
import type { Secrets } from '../../secrets/secrets.js'
import type { Deliver } from './deliver.js'
import type { SealedReceiver } from './message-store.js'
import type { ReceiverFields, ReceiverStore } from './receiver-store.js'
import { openSettings, parseSettings, sealSettings } from './settings.js'

export interface ReceiverServiceOptions {
  readonly store: ReceiverStore
  readonly writes: Writes
  readonly secrets: Secrets
  readonly deliver: Pick<Deliver, 'test'>
  /** Unix milliseconds. */
  readonly now: () => number
}

/** Where alerts are sent. Settings can be set, and are never returned. */
export function createReceiverService(options: ReceiverServiceOptions): AlertReceiverService {
  const { store, writes, secrets, deliver, now } = options
  const crud = crudService(resources.alertReceivers, {
    writes,
    store: {
      ...store,
      insert: (tx, input) => store.insert(tx, newFields(input, secrets, new Date(now()))),
      async update(tx, id, change, before) {
        const at = new Date(now())
        const { settings } = change
        const sealed =
          settings === undefined
            ? {}
            : changedSettings(parseSettings(before.kind, settings), found(await store.findSealed(id, tx)), secrets, at)
        const fields = { ...fieldsOf(change), ...sealed }
        return Object.keys(fields).length === 0 ? before : store.update(tx, id, fields, at)
      },
    },
    checks: {
      create: (tx, { name }) => requireFreeName(store, tx, name),
      change: async (tx, { id }, { name }) => {
        if (name !== undefined) await requireFreeName(store, tx, name, id)
      },
    },
  })
  return {
    ...crud,
    async test(id, caller) {
      const receiver = found(await store.findSealed(id))
      const result = caller.validateOnly === true ? untested : await attempt(() => deliver.test(receiver))
      return writes.run(caller, async () => ({
        result,
        audit: { action: 'test', resource: 'alert_receivers', resourceId: id, changes: { ...result } },
      }))
    },
  }
}

const untested: AlertReceiverTest = { delivered: false, error: 'It was only checked whether this receiver exists.' }

async function attempt(send: () => Promise<void>): Promise<AlertReceiverTest> {
  try {
    await send()
    return { delivered: true, error: '' }
  } catch (error) {
    return { delivered: false, error: errorText(error) }
  }
}

/** Throws if another receiver has the name. */
async function requireFreeName(store: ReceiverStore, tx: Transaction, name: string, id?: number): Promise<void> {
  if (await store.isInUse(tx, { name }, id)) throw fieldError({ name: [`A receiver '${name}' already exists.`] })
}

/** Returns the columns of the fields that are given, but those of the settings. */
function fieldsOf({
  name,
  least_severity: leastSeverity,
  send_resolved: sendResolved,
  enabled,
  set,
}: AlertReceiverChange): Partial<ReceiverFields> {
  return {
    ...(name === undefined ? {} : { name }),
    ...(leastSeverity === undefined ? {} : { leastSeverity }),
    ...(sendResolved === undefined ? {} : { sendResolved }),
    ...(enabled === undefined ? {} : { enabled }),
    ...(set === undefined ? {} : { setName: set }),
  }
}

function newFields(input: AlertReceiverInput, secrets: Secrets, at: Date): ReceiverFields {
  const { name, kind, cluster, settings, least_severity: leastSeverity, send_resolved: sendResolved, enabled } = input
  const setName = input.set ?? null
  const fields = {
    name,
    kind,
    clusterId: cluster,
    leastSeverity,
    sendResolved,
    enabled,
    setName,
    settingsChangedAt: at,
  }
  return { ...fields, ...sealSettings(parseSettings(kind, settings), secrets) }
}

/** Returns the columns of settings that differ from those of before. `roost apply` finds by this what its file changes. */
function changedSettings(
  settings: AlertReceiverSettings,
  before: SealedReceiver,
  secrets: Secrets,
  at: Date,
): Partial<ReceiverFields> {
  if (isDeepStrictEqual(settings, readable(before, secrets))) return {}
  return { ...sealSettings(settings, secrets), settingsChangedAt: at }
}

/** Settings that cannot be decrypted any more can still be replaced. */
function readable({ settings, name }: SealedReceiver, secrets: Secrets): AlertReceiverSettings | undefined {
  try {
    return openSettings(settings, name, secrets)
  } catch (error) {
    if (error instanceof SecretError) return undefined
    throw error
  }
}
