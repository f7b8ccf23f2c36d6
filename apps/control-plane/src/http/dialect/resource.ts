import type { ResourceRules } from '@roost/api-types/rest'
import type { Caller, ChangeOptions, Changes, Creates, Declaration, Filter, Reads, Removes } from '@roost/api-types/rpc'
import type { z } from 'zod'

type HttpMethod = 'GET' | 'POST' | 'PATCH' | 'DELETE'

/** A record as far as the dialect reads it. */
export interface Identified {
  readonly id: number | string
  readonly resource_uri: string
}

/** A write that takes a body. */
interface BodyVerb<B, A extends unknown[]> {
  readonly body: z.ZodType<B>
  /** The answer's schema where it is not the record's: the answer to a write may carry a secret that was just set. */
  readonly answer?: z.ZodType
  /** Fields of the answer that are kept nowhere: a repeated request fills them in from its own body. */
  readonly secrets?: readonly string[]
  run(...args: A): Promise<Identified>
}

/** A path of its own below a record, such as `POST …/<id>/cancel/`. */
export interface Action<B = unknown> {
  readonly method: Exclude<HttpMethod, 'DELETE'>
  /** Without slashes at its ends: `cancel`. */
  readonly path: string
  readonly summary: string
  readonly body?: z.ZodType<B>
  readonly answer: z.ZodType
  readonly status: 200 | 201 | 202
  run(id: number, body: B, caller: Caller): Promise<object>
}

/** A resource as REST has it; `mountResource` makes its routes, its schema document and its part of OpenAPI of it. */
export interface Resource<C = unknown, P = unknown> {
  /** As in the path: `gateway_shares`. */
  readonly name: string
  readonly description: string
  /** What is answered; a key that is not in it cannot leak. A union of variants is fine. */
  readonly record: z.ZodType
  readonly rules: ResourceRules
  readonly reads: Reads<Identified>
  readonly create?: BodyVerb<C, [input: C, caller: Caller]>
  readonly change?: BodyVerb<P, [id: number, input: P, caller: Caller, options: ChangeOptions]>
  /** `PATCH` on the list: all or nothing, in the order given. The body and the ETag of each are those of `change`. */
  changeMany?(
    this: void,
    changes: readonly ({ readonly id: number; readonly change: P } & ChangeOptions)[],
    caller: Caller,
  ): Promise<readonly Identified[]>
  remove?(this: void, id: number, caller: Caller, options: ChangeOptions): Promise<void>
  readonly actions?: readonly Action[]
  /** `facets/`: how many records have which value, by the filters of the list. */
  readonly facets?: { readonly answer: z.ZodType; run(filters: readonly Filter[]): Promise<object> }
  /** Further names under which old clients change one record: `PATCH /api/v1/node/<id>`. */
  readonly changeAliases?: readonly string[]
}

/** A service whose records have an id, as those of REST have. */
type Verbs = Reads<Identified> & Creates<Identified, unknown> & Changes<Identified, unknown> & Removes

/** A declared resource with the verbs that it has in REST; undefined where it has none. */
export function resourceOf(declaration: Declaration, service: object): Resource | undefined {
  const { name, description, record, rules, create, change, remove, rest } = declaration
  if (rest === 'none') return undefined
  const verbs = service as Verbs
  const reads = { name, description, record, rules, reads: verbs }
  if (rest === 'reads') return reads
  const answer = {
    ...(declaration.written === undefined ? {} : { answer: declaration.written }),
    secrets: declaration.secrets ?? [],
  }
  return {
    ...reads,
    ...(create && { create: { body: create, ...answer, run: (...input) => verbs.create(...input) } }),
    ...(change && { change: { body: change, ...answer, run: (...input) => verbs.change(...input) } }),
    ...(remove && { remove: (...input) => verbs.remove(...input) }),
  }
}
