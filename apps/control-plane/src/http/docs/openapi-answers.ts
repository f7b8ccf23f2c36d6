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

/** What a success means, where the route does not say more. */
const successes: Readonly<Record<string, string>> = {
  200: 'What was asked for',
  201: 'The record that was made',
  202: 'The record after the change',
  204: 'It is removed; there is no body',
}

/** Sentences as the server says them. */
const refusals: Readonly<Record<string, string>> = {
  400: "Invalid limit 'x' provided. Please provide a positive integer.",
  401: "Valid credentials are required: send the header 'Authorization: apikey <user>:<key>'.",
  403: 'This operator may only read.',
  404: 'There is no such record.',
  405: 'Objects cannot be removed here.',
  409: 'A request with this Idempotency-Key is running: ask again for its answer.',
  412: 'The record has changed since it was read. Read it again and repeat the change.',
  413: 'The request body is larger than 1 MiB.',
  415: 'The request body must be application/json.',
  422: 'This Idempotency-Key came before with another body: use a new key.',
  429: 'Too many requests with this key. Try again in 1 s.',
  500: 'Internal error. The log has details under 5f0c7a1e-6f3b-4c0f-9f0a-2f1d3b9c7e11.',
  503: 'The database does not answer. Try again in a moment.',
}

const seconds = { description: 'Seconds after which to try again', schema: { type: 'integer' } }
const headers: Readonly<Record<string, Json>> = {
  201: { Location: { description: 'The resource URI of the record', schema: { type: 'string' } } },
  401: { 'WWW-Authenticate': { description: 'ApiKey', schema: { type: 'string' } } },
  429: { 'Retry-After': seconds },
  503: { 'Retry-After': seconds },
}

/** Says what each answer means, with which headers it comes, and how a refusal looks. `given`: answers by operation. */
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
  const description = answer.description === 'Default Response' ? successes[status] : answer.description
  const json = answer.content?.['application/json']
  return {
    ...answer,
    ...(description === undefined ? {} : { description }),
    ...(headers[status] === undefined ? {} : { headers: headers[status] }),
    ...(json === undefined ? {} : { content: { ...answer.content, 'application/json': { ...json, ...examples } } }),
  }
}

/** Examples of a refusal; only who sends a body can be told of its fields. */
function refusal(status: string, { tags, requestBody }: Operation): Json {
  const sentence = refusals[status]
  if (sentence === undefined) return {}
  if (status !== '400' || requestBody === undefined) return { example: { error: sentence } }
  const fields = { [tags?.[0] ?? 'error']: { enabled: ['Enter true or false.'] } }
  return {
    examples: {
      request: { summary: 'The request is faulty', value: { error: 'The request body is not valid JSON.' } },
      fields: { summary: 'Fields are faulty, all at once', value: fields },
    },
  }
}

function mapValues<T, R>(object: Readonly<Record<string, T>>, change: (value: T, key: string) => R): Record<string, R> {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key, change(value, key)]))
}
