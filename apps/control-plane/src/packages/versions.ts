/** Compares two versions such as 1.10.0 and 1.9.0; one before a release, such as 1.0.0-rc1, is older than it. */
export function compareVersions(one: string, other: string): number {
  const [release, before] = partsOf(one)
  const [otherRelease, otherBefore] = partsOf(other)
  const byRelease = collator.compare(release, otherRelease)
  if (byRelease !== 0 || before === otherBefore) return byRelease
  if (before === '' || otherBefore === '') return before === '' ? 1 : -1
  return collator.compare(before, otherBefore)
}

/** Returns a version without what precedes its release: 1.0.0 for 1.0.0-dev.20260102. */
export function releaseOf(version: string): string {
  return partsOf(version)[0]
}

const collator = new Intl.Collator('en', { numeric: true })

function partsOf(version: string): readonly [release: string, before: string] {
  const at = version.search(/[-~]/)
  return at < 0 ? [version, ''] : [version.slice(0, at), version.slice(at + 1)]
}
