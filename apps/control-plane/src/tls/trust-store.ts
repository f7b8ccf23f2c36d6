import type { Database } from '../database/database.js'

/** The time within which connected agents receive changed authorities. */
const settlingMs = 5 * 60_000

export interface TrustStore {
  /** Returns true if every node was online after the authorities changed at that time, or was enrolled after it. */
  everyNodeKnows(since: number): Promise<boolean>
}

export function createTrustStore({ prisma }: Database): TrustStore {
  return {
    async everyNodeKnows(since) {
      const settled = new Date(since + settlingMs)
      const unaware = await prisma.node.count({
        where: { createdAt: { lt: new Date(since) }, OR: [{ lastSeen: null }, { lastSeen: { lt: settled } }] },
      })
      return unaware === 0
    },
  }
}
