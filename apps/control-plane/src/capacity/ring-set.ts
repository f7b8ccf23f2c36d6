/** Returns the names of the policies of a set: `gold,silver`. */
export function ringSetName(policies: readonly number[], names: ReadonlyMap<number, string>): string {
  return policies.map((index) => names.get(index) ?? `policy-${index}`).join()
}
