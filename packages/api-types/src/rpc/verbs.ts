/** Who calls, as authentication found out; goes into the audit record of every write. */
export interface Caller {
  readonly operatorId: number
  readonly operator: string
  readonly role: 'admin' | 'read_only'
  /** The API key in use; null on the host itself, by `roost local`. */
  readonly keyId: number | null
  /** Where from: an IP address, or `local`. */
  readonly address: string
  readonly requestId: string
  /** The Idempotency-Key that the request came with: the write's transaction keeps the answer under it. */
  readonly idempotency?: IdempotencyTicket
  /** Only checks a write: it gets the answer of the write, and nothing is changed or audited. */
  readonly validateOnly?: true
}

/** What is kept of a request that may come again; nothing in it is a secret. */
export interface IdempotencyTicket {
  readonly key: string
  readonly path: string
  /** HMAC of the body. */
  readonly bodyMac: Uint8Array<ArrayBuffer>
  /** Fields of the answer that are not kept. */
  readonly secrets: readonly string[]
}

/** A write that may come again with the same key. */
export interface Repeatable {
  readonly caller: Caller
  readonly path: string
  /** As the client sent it. */
  readonly key: string | string[] | undefined
  readonly body: Readonly<Record<string, unknown>>
  /** Fields of the answer that are not stored; they are filled in from the body, which is the same. */
  readonly secrets: readonly string[]
}

/** One condition of a list: the field has one of the values, or, negated, none of them. All conditions must hold. `field` is as in the query string, such as `cluster__name`. */
export interface Filter {
  readonly field: string
  readonly values: readonly (string | number | boolean)[]
  readonly isNegated?: boolean
}

/** One ordering of a list, by a field that the resource declares. */
export interface Order {
  readonly field: string
  readonly descending: boolean
}

/** A list to read: the conditions were checked against the resource's declaration; `limit` is at most 1,000. */
export interface ListQuery {
  readonly filters: readonly Filter[]
  readonly order: readonly Order[]
  readonly limit: number
  readonly offset: number
}

/** One page of a list, and how many records match in all. */
export interface Page<R> {
  readonly objects: readonly R[]
  readonly total: number
}

/**
 * The reading verbs, the same for every resource. `get` throws `not_found`; `getMany` leaves out what is not there. The caller
 * matters only where operators have records of their own.
 */
export interface Reads<R> {
  list(query: ListQuery, caller?: Caller): Promise<Page<R>>
  get(id: number, caller?: Caller): Promise<R>
  getMany(ids: readonly number[], caller?: Caller): Promise<readonly R[]>
}

/** Options of a change: `ifMatch` is the ETag that the caller saw; `stale` is thrown when the record has another now. */
export interface ChangeOptions {
  readonly ifMatch?: string
}

/** Throws `invalid` with the faulty fields. */
export interface Creates<R, I> {
  create(input: I, caller: Caller): Promise<R>
}

/** Changes the fields given. Throws `not_found`, `stale`, or `invalid` with the faulty fields. */
export interface Changes<R, I> {
  change(id: number, input: I, caller: Caller, options?: ChangeOptions): Promise<R>
}

/** Throws `not_found`, `stale`, or `conflict` if other records depend on the one to remove. */
export interface Removes {
  remove(id: number, caller: Caller, options?: ChangeOptions): Promise<void>
}

/** How many calls a server takes in one request. Each counts for the rate of the key. */
export const maxBatchSize = 20

export type OneOrMany<T> = T | readonly T[]

/** A list by names that are known only when the program runs, such as those that a user types. */
export interface NamedListInput {
  readonly filters?: Readonly<Record<string, OneOrMany<string | number | boolean>>> | undefined
  readonly order_by?: readonly string[] | undefined
  readonly limit?: number | undefined
  readonly offset?: number | undefined
}

/** Returns the input as that of any resource: the server refuses names that it does not have, and says which there are. */
export function byNames(input: NamedListInput): never {
  return input as never
}
