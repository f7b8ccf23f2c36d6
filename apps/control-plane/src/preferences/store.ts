import { Preferences } from '@roost/api-types/rest'
import type { Database } from '../database/database.js'
import type { Transaction } from '../database/transaction.js'

export interface PreferencesStore {
  find(operatorId: number): Promise<Preferences>
  /** Keeps others from changing them until the transaction ends. */
  findForUpdate(tx: Transaction, operatorId: number): Promise<Preferences>
  update(tx: Transaction, operatorId: number, preferences: Preferences): Promise<void>
}

const unset: Preferences = { theme: null, density: null, units: null, zone: null, language: null, keys: null }

/** Returns what is stored; nothing where another version has stored values that this one does not know. */
function preferencesOf(stored: unknown): Preferences {
  return Preferences.safeParse({ ...unset, ...Object(stored) }).data ?? unset
}

export function createPreferencesStore({ prisma }: Database): PreferencesStore {
  return {
    async find(id) {
      const row = await prisma.operator.findUnique({ where: { id }, select: { preferences: true } })
      return preferencesOf(row?.preferences)
    },
    async findForUpdate(tx, id) {
      const [row] = await tx.$queryRaw<{ readonly preferences: unknown }[]>`
        select preferences from operators where id = ${id} for update`
      return preferencesOf(row?.preferences)
    },
    async update(tx, id, preferences) {
      await tx.operator.update({ where: { id }, data: { preferences }, select: { id: true } })
    },
  }
}
