import { requestKinds } from '@roost/api-types/agent'
import { errorText } from '@roost/runtime'
import type {
  AnswerMessage,
  RequestKind,
  RequestMessage,
  RequestParameters,
  RequestResult,
} from '@roost/api-types/agent'

/** One handler for each kind of request; what it throws is the answer's error. */
export type RequestHandlers = {
  readonly [K in RequestKind]?: (parameters: RequestParameters<K>) => Promise<RequestResult<K>>
}

/** Answers a request of the control plane; never rejects. */
export async function answerRequest(
  handlers: RequestHandlers,
  { id, kind, parameters }: RequestMessage,
): Promise<AnswerMessage> {
  try {
    return { type: 'answer', id, result: await handle(handlers, kind, parameters), error: null }
  } catch (error) {
    return { type: 'answer', id, result: null, error: errorText(error).slice(0, 2000) }
  }
}

async function handle(handlers: RequestHandlers, kind: string, parameters: unknown): Promise<unknown> {
  if (!isKind(kind)) throw new Error(`This agent does not support requests of the kind '${kind}'. Upgrade the agent.`)
  const handler = handlers[kind] as ((parameters: unknown) => Promise<unknown>) | undefined
  if (handler === undefined) throw new Error(`This node does not answer requests of the kind '${kind}'.`)
  return handler(requestKinds[kind].parameters.parse(parameters))
}

function isKind(kind: string): kind is RequestKind {
  return Object.hasOwn(requestKinds, kind)
}
