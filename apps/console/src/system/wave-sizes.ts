import type { UpgradeTarget } from '../api/queries/system.js'

/** How many nodes each wave has: `1 · 10 · 10 · 4`. */
export function waveSizes(targets: readonly UpgradeTarget[]): readonly number[] {
  const sizes: number[] = []
  for (const { wave } of targets) {
    if (wave === 0) continue
    while (sizes.length < wave) sizes.push(0)
    sizes[wave - 1] = (sizes[wave - 1] ?? 0) + 1
  }
  return sizes
}
