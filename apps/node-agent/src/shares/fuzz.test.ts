import type { DesiredShare } from '@roost/api-types/agent'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { exportsFormat } from './servers/kernel-nfs/format.js'
import { ganeshaFormat } from './servers/ganesha/format.js'
import { cifsShare, nfsShare } from '@roost/testing/shares'
import { bodiesOf } from './testing/rendered-shares.js'
import { hostile, usual } from '@roost/testing/arbitraries'
import { sambaFormat } from './servers/samba/format.js'
import { ShareError } from './servers/validate-share.js'

const isLong = Boolean(process.env.ROOST_TEST_LONG)
const numRuns = isLong ? 50_000 : 500

const neighbours: readonly DesiredShare[] = [
  nfsShare(1, { name: 'first', clients_allowed_list: '10.0.0.0/8' }),
  cifsShare(3, { name: 'third', cifs_guest_ok: false, cifs_valid_users: 'alice' }),
  nfsShare(4, { name: 'fourth' }),
  cifsShare(5, { name: 'fifth', clients_allowed_list: '@trusted' }),
]

/** Everything that the files say, one entry a share, as their servers would read it. */
function directivesOf(shares: readonly DesiredShare[], nfs: 'kernel' | 'ganesha') {
  const files = bodiesOf(shares, nfs)
  const text = (path: string): string => files[path] ?? ''
  return [
    ...exportsFormat.parse(text('/etc/exports.d/roost.exports')),
    ...ganeshaFormat.parse(text('/etc/ganesha/roost.d/exports.conf')),
    ...sambaFormat.parse(text('/etc/samba/roost.d/shares.conf')),
  ]
}

/** Whether the share was rendered; fails when anything but one entry that names its path is new. */
function addsOnlyItself(share: DesiredShare, nfs: 'kernel' | 'ganesha'): boolean {
  const without = directivesOf(neighbours, nfs).map((entry) => JSON.stringify(entry))
  let entries: string[]
  try {
    entries = directivesOf([...neighbours, share], nfs).map((entry) => JSON.stringify(entry))
  } catch (error) {
    if (error instanceof ShareError) return false
    throw error
  }
  const [added, ...more] = entries.filter((entry) => !without.includes(entry))
  expect(more).toEqual([])
  expect(added).toContain('"/srv/roost/2"')
  expect(entries.filter((entry) => entry !== added)).toEqual(without)
  return true
}

const timeout = isLong ? 600_000 : 120_000

describe('whatever one share says', () => {
  it('changes no directive other than its own, and stays within the contract', { timeout }, () => {
    let rendered = 0
    fc.assert(
      fc.property(usual, (share) => {
        rendered += addsOnlyItself(share, 'kernel') ? 1 : 0
        addsOnlyItself(share, 'ganesha')
      }),
      { numRuns },
    )
    expect(rendered).toBeGreaterThan(numRuns / 2)
  })

  it('changes no directive other than its own, or is refused by the name of its field', { timeout }, () => {
    fc.assert(
      fc.property(hostile, (share) => {
        addsOnlyItself(share, 'kernel')
        addsOnlyItself(share, 'ganesha')
      }),
      { numRuns },
    )
  })
})
