import { historyCapability } from '@roost/api-types/agent'
import { concurrencyLimit, KeyedQueue } from '@roost/runtime'
import type { StreamHandlers } from './handlers.js'
import type { NodeBudgets } from './limits/node-budgets.js'
import type { SessionMessage } from './received/read-message.js'
import type { Session } from './session.js'

/** After a restart all agents send inventories, which must not use up the database connections of the API and of admissions. */
const inventoriesAtOnce = 2

type Handle<Type> = (
  session: Session,
  message: Extract<SessionMessage, { readonly type: Type }>,
) => Promise<void> | void
type MessageTable = {
  readonly [Type in Exclude<SessionMessage['type'], 'ping' | 'pong'>]: Handle<Type>
}

/** Returns what handles a message that is checked. Each belongs to the node of its session, even if it names another. */
export function createMessageHandler(handlers: StreamHandlers, budgets: NodeBudgets) {
  const table: MessageTable = { ...reportTable(handlers, budgets), ...deploymentTable(handlers) }
  return async (session: Session, message: SessionMessage): Promise<void> => {
    if (message.type === 'ping' || message.type === 'pong') return
    const handle = table[message.type] as Handle<typeof message.type>
    await handle(session, message)
  }
}

function reportTable(handlers: StreamHandlers, budgets: NodeBudgets) {
  const inventories = concurrencyLimit(inventoriesAtOnce)
  /** One inventory of a node at a time: a node must not keep the others waiting. */
  const inventoriesOf = new KeyedQueue<number>()
  return {
    inventory(session, message) {
      const { nodeId } = session.agent
      budgets.chargeHandler(session)
      return inventoriesOf.run(nodeId, () => inventories(() => handlers.inventory(nodeId, message)))
    },
    async catalogue(session, message) {
      const { nodeId, capabilities } = session.agent
      budgets.chargeHandler(session)
      // Both begin at once: a chunk may follow the catalogue, like a frame.
      const columns = capabilities.has(historyCapability) ? handlers.historyColumns(nodeId, message) : undefined
      await Promise.all([handlers.catalogue(nodeId, message), columns])
    },
    history_columns: ({ agent }, message) => handlers.historyColumns(agent.nodeId, message),
    device_usage: ({ agent: { nodeId, clock } }, message) =>
      handlers.deviceUsage(nodeId, { ...message, time: clock.readingTime(message.time) }),
    usage: ({ agent }, message) => handlers.usage(agent.nodeId, message),
    mount_restored: ({ agent: { nodeId, clock } }, message) =>
      handlers.mountRestored(nodeId, { ...message, time: clock.pastTime(message.time) }),
    log: ({ agent }, message) => handlers.log(agent.nodeId, message),
  } satisfies Partial<MessageTable>
}

function deploymentTable(handlers: StreamHandlers) {
  return {
    plan: ({ agent }, message) => handlers.answer(agent.nodeId, message),
    answer: ({ agent }, message) => handlers.answer(agent.nodeId, message),
    progress: ({ agent }, message) => handlers.progress(agent.nodeId, message),
    applied: ({ agent }, message) => handlers.applied(agent.nodeId, message),
    drift: ({ agent }, message) => handlers.drift(agent.nodeId, message),
  } satisfies Partial<MessageTable>
}
