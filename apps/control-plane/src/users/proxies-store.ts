import type { AgentRequests } from '../agents/requests.js'
import type { Database } from '../database/database.js'
import type { Transaction } from '../database/transaction.js'
import { divideProxies, hasOther } from '../services/proxies.js'
import type { AskProxies, ProxyAnswers } from '../services/proxies.js'

const answerMs = 10_000

const approved = { enabled: true, role: { runsProxy: true }, rolesGranted: { has: 'runs_proxy' } } as const

export function createAskProxies(
  { prisma }: Pick<Database, 'prisma'>,
  requests: Pick<AgentRequests, 'ask'>,
): AskProxies {
  return async (clusterId) => {
    const select = { id: true, proxyAuthentication: true } as const
    const proxies = (await prisma.node.findMany({ select, where: { ...approved, clusterId } })).filter(hasOther)
    const asked = proxies.map(async ({ id }) => {
      const answer = await requests.ask(id, 'proxy_authentication', {}, answerMs)
      return 'result' in answer ? [[id, answer.result.authentication] as const] : []
    })
    return new Map((await Promise.all(asked)).flat())
  }
}

/** What is stored may be old: a proxy that may have users is left out only by what its agent answered just now. */
export async function readProxies(tx: Transaction, clusterId: number, answers: ProxyAnswers) {
  const deployments = { where: { kind: 'user_db' }, select: { inForce: true, outcome: true } } as const
  const rows = await tx.node.findMany({
    select: { id: true, hostname: true, proxyAuthentication: true, deployments },
    where: { ...approved, clusterId },
    orderBy: { id: 'asc' },
  })
  const hasOperatorUsers = await letsInOperatorUsers(tx, clusterId)
  const proxies = rows.map(({ deployments: [users], ...proxy }) => {
    // What a node has not answered may be in force there.
    const mayHaveUsers = hasOperatorUsers || (users !== undefined && (users.inForce > 0 || users.outcome === null))
    const unanswered = mayHaveUsers ? null : proxy.proxyAuthentication
    const answered = answers.get(proxy.id)
    const now = answered === undefined ? unanswered : answered
    // Its agent may have reported another state since it answered.
    return { ...proxy, proxyAuthentication: hasOther(proxy) ? now : proxy.proxyAuthentication }
  })
  return divideProxies(proxies)
}

/** Returns true if users of the cluster, or removed ones, have lines of the operator, with which any of its proxies lets them in. */
async function letsInOperatorUsers(tx: Transaction, clusterId: number): Promise<boolean> {
  if ((await tx.user.count({ where: { clusterId, adoptedLine: { not: null } } })) > 0) return true
  return (await tx.removedAdoption.count({ where: { clusterId, projectId: null } })) > 0
}
