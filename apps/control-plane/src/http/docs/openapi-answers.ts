import { etagHeader, statusRow } from '../dialect/answers.js'
import { messages } from '../../services/messages.js'

type Json = Readonly<Record<string, unknown>>

interface Answer extends Json {
  readonly description?: string
  readonly content?: Readonly<Record<string, Json>>
}

interface Parameter extends Json {
  readonly name?: string
}

/** What the routes say of an operation that its schemas do not. */
export interface Notes {
  /** An example of its successful answer. */
  readonly example: unknown
  /** Its successful answer has an `ETag`. */
  readonly etag: boolean
}

interface Operation extends Json {
  readonly operationId?: string
  readonly tags?: readonly string[]
  readonly requestBody?: unknown
  readonly parameters?: readonly Parameter[]
  readonly responses: Readonly<Record<string, Answer>>
}

/** Adds descriptions, headers and examples to the answers of every operation. `notes` has those of the routes by operation. */
export function describeAnswers(document: object, notes: ReadonlyMap<unknown, Notes>): object {
  const { paths, ...rest } = document as {
    readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  }
  return {
    ...rest,
    paths: mapValues(paths, (methods) =>
      mapValues(methods, (operation) => describeOperation(operation, notes.get(operation.operationId))),
    ),
  }
}

function describeOperation(operation: Operation, notes: Notes | undefined): Operation {
  const { example, etag = false } = notes ?? {}
  return {
    ...operation,
    ...(operation.parameters === undefined ? {} : { parameters: operation.parameters.map(withCommas) }),
    responses: mapValues(operation.responses, (answer, status) =>
      describeAnswer(
        etag && status.startsWith('2') ? { ...answer, headers: etagHeader } : answer,
        status,
        status === '200' && example !== undefined ? { example } : refusal(status, operation),
      ),
    ),
  }
}

/** Values of one `__in` are separated by commas; every other list repeats its parameter. */
function withCommas(parameter: Parameter): Parameter {
  return parameter.name?.endsWith('__in') === true ? { ...parameter, style: 'form', explode: false } : parameter
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
      request: { summary: 'The request is not valid', value: { error: messages.malformedJson } },
      fields: { summary: 'Fields are not valid; all of them are listed', value: fields },
    },
  }
}

function mapValues<T, R>(object: Readonly<Record<string, T>>, change: (value: T, key: string) => R): Record<string, R> {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key, change(value, key)]))
}
