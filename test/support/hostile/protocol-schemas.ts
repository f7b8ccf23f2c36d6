import {
  AgentMessage,
  AnswerMessage,
  Confirmation,
  DesiredMessage,
  DesiredState,
  EnrollConflict,
  EnrollRequest,
  EnrollResponse,
  PlanRequest,
  requestKinds,
  RequestMessage,
  ServerMessage,
} from '@roost/api-types/agent'
import * as z from 'zod/mini'

/** The parts of a JSON Schema that the protocol uses. */
export interface JsonSchema {
  readonly type?: string | readonly string[]
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly anyOf?: readonly JsonSchema[]
  readonly oneOf?: readonly JsonSchema[]
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly propertyNames?: JsonSchema
  readonly additionalProperties?: JsonSchema | boolean
  readonly maxProperties?: number
  readonly items?: JsonSchema
  readonly maxItems?: number
  readonly maxLength?: number
  readonly minimum?: number
  readonly exclusiveMinimum?: number
  readonly maximum?: number
  readonly multipleOf?: number
}

export interface NamedSchema {
  readonly name: string
  readonly schema: JsonSchema
}

const jsonOf = (schema: z.ZodMiniType) => z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as JsonSchema

/** The schema with another one for a field that it leaves open. */
function filled(schema: z.ZodMiniType, field: string, inner: z.ZodMiniType): JsonSchema {
  const outer = jsonOf(schema)
  return { ...outer, properties: { ...outer.properties, [field]: jsonOf(inner) } }
}

const named = (schema: z.ZodMiniType, schemaName: string): NamedSchema => ({ name: schemaName, schema: jsonOf(schema) })

const nameOf = ({ properties }: JsonSchema) => String(properties?.['type']?.const)

const messagesOf = (union: { readonly def: { readonly options: readonly z.ZodMiniType[] } }) =>
  union.def.options.map((option) => jsonOf(option)).map((schema) => ({ name: nameOf(schema), schema }))

/** Every message of an agent; an answer once for each kind of request. Generated from the protocol's declaration. */
export const agentSchemas: readonly NamedSchema[] = [
  ...messagesOf(AgentMessage).filter(({ name }) => name !== 'answer'),
  ...Object.entries(requestKinds).map(([kind, { result }]) => ({
    name: `answer to ${kind}`,
    schema: filled(AnswerMessage, 'result', result),
  })),
]

const openServerMessages = ['desired', 'plan_request', 'request']

/** Every message of the control plane; a request once for each kind, a desired state once for each kind of deployment. */
export const serverSchemas: readonly NamedSchema[] = [
  ...messagesOf(ServerMessage).filter(({ name }) => !openServerMessages.includes(name)),
  ...Object.entries(requestKinds).map(([kind, { parameters }]) => ({
    name: `request ${kind}`,
    schema: withKind(filled(RequestMessage, 'parameters', parameters), kind),
  })),
  ...DesiredState.def.options.flatMap((state) => [
    { name: `desired ${kindOf(state)}`, schema: desiredOf(state) },
    { name: `plan_request ${kindOf(state)}`, schema: filled(PlanRequest, 'desired', state) },
  ]),
]

export const enrollmentSchemas: readonly NamedSchema[] = [
  named(EnrollRequest, 'enroll'),
  named(EnrollResponse, 'answer to enroll'),
  named(EnrollConflict, 'conflict of enroll'),
]

/** Also the state to which an agent returns without a confirmation is one of the kind. */
function desiredOf(state: z.ZodMiniType): JsonSchema {
  const schema = filled(DesiredMessage, 'desired', state)
  const former = filled(Confirmation.def.shape.former, 'desired', state)
  const confirm = jsonOf(Confirmation)
  const properties = { ...schema.properties, confirm: { ...confirm, properties: { ...confirm.properties, former } } }
  return { ...schema, properties }
}

function kindOf(state: z.ZodMiniType): string {
  return String(jsonOf(state).properties?.['kind']?.const)
}

function withKind(schema: JsonSchema, kind: string): JsonSchema {
  return { ...schema, properties: { ...schema.properties, kind: { const: kind } } }
}

export const variantsOf = ({ anyOf, oneOf }: JsonSchema): readonly JsonSchema[] | undefined => anyOf ?? oneOf

export const typesOf = ({ type }: JsonSchema): readonly string[] => (typeof type === 'string' ? [type] : (type ?? []))
