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
