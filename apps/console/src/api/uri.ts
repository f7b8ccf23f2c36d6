/** Returns the id at the end of a resource URI. */
export function idIn(uri: string): number {
  return Number(/(\d+)\/?$/.exec(uri)?.[1])
}
