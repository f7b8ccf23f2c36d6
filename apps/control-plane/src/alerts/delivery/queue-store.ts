import type { Database } from '../../database/database.js'
import { attemptMs } from './schedule.js'

/** A delivery whose attempt has begun. */
export interface ClaimedDelivery {
  readonly id: number
  readonly receiverId: number
  /** Counts this one. */
  readonly attempts: number
  readonly expiresMs: number
}

export type QueueStore = ReturnType<typeof createQueueStore>

export function createQueueStore({ prisma }: Database) {
  return {
    /** Begins an attempt of a message that is due; undefined if there is none. Messages of a group are sent in their order. */
    async claim(at: Date, exceptReceivers: readonly number[]): Promise<ClaimedDelivery | undefined> {
      const lostAt = new Date(at.getTime() + attemptMs)
      const [row] = await prisma.$queryRaw<
        readonly { id: number; receiverId: number; attempts: number; expiresAt: Date }[]
      >`
        update alert_deliveries set state = 'sending', attempts = attempts + 1, next_at = ${lostAt}
        where id = (
          select d.id from alert_deliveries d join alert_receivers r on r.id = d.receiver_id
          where d.next_at <= ${at} and r.enabled and d.receiver_id <> all(${[...exceptReceivers]}::int[])
            and not exists (select from alert_deliveries e where e.receiver_id = d.receiver_id and e.cluster_id is not distinct from d.cluster_id
              and e.code = d.code and e.id < d.id and e.next_at is not null)
          order by d.next_at, d.id limit 1 for update of d skip locked)
        returning id, receiver_id as "receiverId", attempts, expires_at as "expiresAt"`
      return row === undefined ? undefined : { ...row, expiresMs: row.expiresAt.getTime() }
    },
    async delivered(id: number, receiverId: number, at: Date): Promise<void> {
      const ended = { state: 'delivered', nextAt: null, endedAt: at, error: '' }
      await prisma.$transaction([
        prisma.alertDelivery.updateMany({ where: { id }, data: ended }),
        prisma.alertReceiver.updateMany({ where: { id: receiverId }, data: { lastDeliveredAt: at, lastError: '' } }),
      ])
    },
    /** `nextAt` null: it is given up. */
    async failed(id: number, receiverId: number, { error, at, nextAt }: Failure): Promise<void> {
      const next = nextAt === null ? { state: 'failed', endedAt: at } : { state: 'waiting' }
      await prisma.$transaction([
        prisma.alertDelivery.updateMany({ where: { id }, data: { ...next, nextAt, error } }),
        prisma.alertReceiver.updateMany({ where: { id: receiverId }, data: { lastError: error, lastErrorAt: at } }),
      ])
    },
    async canceled(id: number, at: Date): Promise<void> {
      await prisma.alertDelivery.updateMany({ where: { id }, data: { state: 'canceled', nextAt: null, endedAt: at } })
    },
    /** Messages that have not been sent, by kind of receiver. */
    async countWaiting(): Promise<number> {
      return prisma.alertDelivery.count({ where: { nextAt: { not: null } } })
    },
  }
}

interface Failure {
  readonly error: string
  readonly at: Date
  readonly nextAt: Date | null
}
