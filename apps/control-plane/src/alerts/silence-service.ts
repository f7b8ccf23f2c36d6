import { longestSilenceDays } from '@roost/api-types/rest'
import type { AlertSilence, AlertSilenceInput } from '@roost/api-types/rest'
import { resources } from '@roost/api-types/rpc'
import type { Caller, Services } from '@roost/api-types/rpc'
import { crudService } from '../database/crud-service.js'
import type { Transaction } from '../database/transaction.js'
import type { Writes } from '../database/writes.js'
import { unknownRelation } from '../services/errors.js'
import { fieldError } from '../services/field-errors.js'
import type { SilenceEffect } from './silence-effect-store.js'
import type { SilenceStore } from './silence-store.js'

export interface SilenceServiceOptions {
  readonly store: SilenceStore
  readonly effect: SilenceEffect
  readonly writes: Writes
  /** Unix milliseconds. */
  readonly now: () => number
}

/** The API of silences: alerts become silent, or audible again, with the change of a silence. */
export function createSilenceService(options: SilenceServiceOptions): Services['alertSilences'] {
  return {
    ...serviceOf(options, ''),
    create: (input, caller: Caller) => serviceOf(options, caller.operator).create(input, caller),
  }
}

function serviceOf({ store, effect, writes, now }: SilenceServiceOptions, operator: string) {
  const refreshed = async <T>(tx: Transaction, result: T) => {
    await effect.refresh(new Date(now()), tx)
    return result
  }
  return crudService(resources.alertSilences, {
    store: {
      ...store,
      insert: async (tx, input: AlertSilenceInput) =>
        refreshed(tx, await store.insert(tx, input, { operator, at: new Date(now()) })),
      update: async (tx, id, change) => refreshed(tx, await store.update(tx, id, change)),
      delete: async (tx, id) => refreshed(tx, await store.delete(tx, id)),
    },
    writes,
    checks: {
      async create(tx, { matchers, starts_at: startsAt, ends_at: endsAt }) {
        assertEnd(startsAt === undefined ? now() : Date.parse(startsAt), Date.parse(endsAt), now())
        const missing = await store.missing(tx, matchers)
        if (missing !== undefined) throw unknownRelation(missing.resource, missing.id)
      },
      async change(_tx, before: AlertSilence, { ends_at: endsAt }) {
        if (endsAt === undefined || Date.parse(endsAt) === Date.parse(before.ends_at)) return
        assertEnd(Date.parse(before.starts_at), Date.parse(endsAt), now())
      },
    },
  })
}

function assertEnd(startMs: number, endMs: number, nowMs: number): void {
  if (endMs <= startMs) throw refuse('A silence must end after its start.')
  if (endMs <= nowMs) throw refuse('This time is past. To end a silence, remove it.')
  if (endMs - startMs > longestSilenceDays * 86_400_000)
    throw refuse(`A silence may last at most ${longestSilenceDays} days.`)
}

function refuse(sentence: string): Error {
  return fieldError({ ends_at: [sentence] })
}
