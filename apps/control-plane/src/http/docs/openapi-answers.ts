import { statusRow } from '../dialect/answers.js'
import { messages } from '../../services/messages.js'

type Json = Readonly<Record<string, unknown>>

interface Answer extends Json {
  readonly description?: string
  readonly content?: Readonly<Record<string, Json>>
}

interface Operation extends Json {
  readonly operationId?: string
  readonly tags?: readonly string[]
  readonly requestBody?: unknown
  readonly responses: Readonly<Record<string, Answer>>
}

/** Adds descriptions, headers and examples to the answers of every operation. `given` has the examples of successes by operation. */
export function describeAnswers(document: object, given: ReadonlyMap<unknown, unknown>): object {
  const { paths, ...rest } = document as {
    readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  }
  return {
    ...rest,
    paths: mapValues(paths, (methods) => mapValues(methods, (operation) => describeOperation(operation, given))),
  }
}

function describeOperation(operation: Operation, given: ReadonlyMap<unknown, unknown>): Operation {
  const example = given.get(operation.operationId)
  return {
    ...operation,
    responses: mapValues(operation.responses, (answer, status) =>
      describeAnswer(
        answer,
        status,
        status === '200' && example !== undefined ? { example } : refusal(status, operation),
      ),
    ),
  }
}

function describeAnswer(answer: Answer, status: string, examples: Json): Answer {
  const row = statusRow(status)
  const description = answer.description === 'Default Response' ? row?.description : answer.description
  const json = answer.content?.['application/json']
  return {
    ...answer,
    ...(description === undefined ? {} : { description }),
    ...(row?.headers === undefined ? {} : { headers: row.headers }),
    ...(json === undefined ? {} : { content: { ...answer.content, 'application/json': { ...json, ...examples } } }),
  }
}

/** Returns the examples of a refusal. Only requests with a body can have faulty fields. */
function refusal(status: string, { tags, requestBody }: Operation): Json {
  const message = statusRow(status)?.example
  if (message === undefined) return {}
  if (status !== '400' || requestBody === undefined) return { example: { error: message } }
  const fields = { [tags?.[0] ?? 'error']: { enabled: ['Enter true or false.'] } }
  return {
    examples: {
      request: { summary: 'The request is faulty', value: { error: messages.malformedJson } },
      fields: { summary: 'Fields are faulty, all at once', value: fields },
    },
  }
}

function mapValues<T, R>(object: Readonly<Record<string, T>>, change: (value: T, key: string) => R): Record<string, R> {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key, change(value, key)]))
}
