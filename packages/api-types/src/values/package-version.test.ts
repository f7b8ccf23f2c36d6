import { spawnSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { compareVersions, releaseOf } from './package-version.js'

/** From the oldest to the newest. */
const ascending = ['0.1.0', '0.2.0~dev.20261123', '0.2.0~dev.20261124', '0.2.0~rc1', '0.2.0', '0.2.0a', '0.2.0+1']
const more = ['0.2.1', '0.10.0', '1.0', '1.0.0']

describe('compareVersions', () => {
  const versions = [...ascending, ...more]
  const pairs = versions.flatMap((one, i) => versions.map((other, j) => [one, other, Math.sign(i - j)] as const))

  it.each(pairs)('compares %s with %s', (one, other, expected) => {
    expect(Math.sign(compareVersions(one, other))).toBe(expected)
  })

  it('has versions with a hyphen below their release, as those with a tilde', () => {
    const sorted = ['1.0.0-dev', '1.0.0-rc2', '1.0.0-rc10', '1.0.0', '1.9.0', '1.10.0']
    expect(sorted.toReversed().toSorted(compareVersions)).toEqual(sorted)
    expect(compareVersions('1.0.0-rc1', '1.0.0~rc1')).toBe(0)
  })

  it('agrees with dpkg', ({ skip }) => {
    if (spawnSync('dpkg', ['--version']).error !== undefined) skip('there is no dpkg here')
    for (const [one, other] of pairs) {
      const isOlder = spawnSync('dpkg', ['--compare-versions', one, 'lt', other]).status === 0
      expect([one, other, compareVersions(one, other) < 0]).toEqual([one, other, isOlder])
    }
  })
})

it('releaseOf leaves out what precedes a release', () => {
  expect(['1.0.0', '1.0.0-dev.20260102', '1.0.0~rc1'].map(releaseOf)).toEqual(['1.0.0', '1.0.0', '1.0.0'])
})
