/** Conditions of a list: field to value, or to values of which one must hold. */
export type Filters = Record<string, string | number | boolean | string[]>
