import type { FastifyInstance, FastifyReply } from 'fastify'

/** The requests that are not answered to their end yet, by the key that they came with. */
export interface OpenRequests {
  keys(): readonly number[]
  /** Closes all open responses of a key. */
  end(keyId: number): void
}

export function trackOpenRequests(app: FastifyInstance): OpenRequests {
  const open = new Map<number, Set<FastifyReply>>()
  app.addHook('onRequest', async ({ caller }, reply) => {
    const keyId = caller?.keyId ?? null
    if (keyId === null) return
    const replies = open.get(keyId) ?? new Set()
    open.set(keyId, replies.add(reply))
    reply.raw.once('close', () => {
      replies.delete(reply)
      if (replies.size === 0 && open.get(keyId) === replies) open.delete(keyId)
    })
  })
  return {
    keys: () => [...open.keys()],
    end(keyId) {
      for (const reply of open.get(keyId) ?? []) reply.raw.destroy()
    },
  }
}
