import type { ResourceRules } from '@roost/api-types/rest'
import type { Caller, ChangeOptions, Reads } from '@roost/api-types/rpc'
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

/**
 * One declaration per resource: `mountResource` makes its routes, its schema document and its part of OpenAPI of it.
 * A verb that is left out is answered 405.
 */
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
  /** `PATCH` on the list: all or nothing, in the order given. The body of each is that of `change`. */
  changeMany?(
    this: void,
    changes: readonly { readonly id: number; readonly change: P }[],
    caller: Caller,
  ): Promise<readonly Identified[]>
  remove?(this: void, id: number, caller: Caller, options: ChangeOptions): Promise<void>
  readonly actions?: readonly Action[]
  /** Further names under which old clients change one record: `PATCH /api/v1/node/<id>`. */
  readonly changeAliases?: readonly string[]
}
