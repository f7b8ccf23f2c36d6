import { isDeepStrictEqual } from 'node:util'
import { gatewayShareRules, GatewayShareSettings, shareChangeSchema } from '@roost/api-types/rest'
import type { AuditAction, GatewayShareChange, WrittenGatewayShare } from '@roost/api-types/rest'
import type { Services } from '@roost/api-types/rpc'
import { differences } from '../database/writes.js'
import type { Writes } from '../database/writes.js'
import { found } from '../services/errors.js'
import { assertFresh } from '../services/etag.js'
import { parseFields } from '../services/field-errors.js'
import { createReads } from '../services/reads.js'
import type { Secrets } from '../secrets/secrets.js'
import { locateChanged, locateNew } from './location.js'
import { changedSettings } from './settings.js'
import type { StoredShare } from './row-store.js'
import type { ShareStore } from './store.js'

export interface ShareServiceOptions {
  readonly store: ShareStore
  readonly writes: Writes
  readonly secrets: Secrets
}

type Written = StoredShare & { readonly password?: string | null }

/** Shares of containers by the gateways. What is written here reaches a gateway with its next deployment. */
export function createShareService({ store, writes, secrets }: ShareServiceOptions): Services['gatewayShares'] {
  const seal = (password: string | null | undefined) =>
    typeof password === 'string' ? secrets.seal('share-password', password) : password

  return {
    ...createReads(store),
    create: (input, caller) =>
      writes.run(caller, async (tx) => {
        const settings = GatewayShareSettings.parse(input)
        const password = 'password' in input ? input.password : undefined
        const location = await locateNew(store, tx, input.node, settings)
        const made = await store.insert(tx, settings, location, { password: seal(password), set: input.set })
        return written('create', {}, withPassword(made, password))
      }),
    change: (id, input, caller, options) =>
      writes.run(caller, async (tx) => {
        const before = found(await store.findForUpdate(tx, id))
        assertFresh(before, gatewayShareRules, options?.ifMatch)
        const change = parseFields(shareChangeSchema(before.protocol, input), input)
        const settings = changedSettings(before, change)
        const location = await locateChanged(store, tx, before, change, settings)
        const password = passwordAfter(before, settings, change)
        const set = change.set === (before.set ?? null) ? undefined : change.set
        const same = isDeepStrictEqual(
          [location, password, set, settings],
          [undefined, undefined, undefined, changedSettings(before, {})],
        )
        const control = { password: seal(password), set }
        const after = same ? before : await store.update(tx, id, settings, location, control)
        return written('change', before, withPassword(after, change.password))
      }),
    remove: (id, caller, options) =>
      writes.run(caller, async (tx) => {
        const before = found(await store.findForUpdate(tx, id))
        assertFresh(before, gatewayShareRules, options?.ifMatch)
        await store.delete(tx, id)
        return { result: undefined, audit: auditOf('remove', id, before, {}) }
      }),
  }
}

/** Undefined: as it was. A share that leaves the protocol leaves its password behind. */
function passwordAfter(before: StoredShare, { protocol }: GatewayShareSettings, { password }: GatewayShareChange) {
  return protocol === before.protocol ? password : (password ?? null)
}

function withPassword(share: StoredShare, password: string | null | undefined): Written {
  return password === undefined ? share : { ...share, password }
}

function written(action: AuditAction, before: object, result: Written & WrittenGatewayShare) {
  return { result, audit: auditOf(action, result.id, before, result) }
}

function auditOf(action: AuditAction, resourceId: number, before: object, after: object) {
  const changes = differences(shown(before), shown(after), ['password'])
  return { action, resource: 'gateway_shares', resourceId, changes }
}

/** Without what is Roost's own. */
function shown(record: object): object {
  return { ...record, revision: undefined }
}
