import { describe, expect, it } from 'vitest'
import { judgeSelf } from './judge.js'
import type { OwnFacts } from './judge.js'

const nowMs = Date.parse('2026-11-22T10:00:00Z')
const [secondMs, hourMs, dayMs] = [1_000, 3_600_000, 86_400_000]
const gb = 1e9

const healthy: OwnFacts = {
  nowMs,
  certificates: [{ name: 'server', endsMs: nowMs + 30 * dayMs }],
  areCertificatesOwn: false,
  backup: { isMade: true, ms: nowMs - dayMs },
  copy: null,
  dataDir: '/var/lib/roost',
  space: { availableBytes: 100 * gb, totalBytes: 200 * gb },
  refusedStart: null,
  heardSinceMs: nowMs - dayMs,
  unavailableMs: 0,
  history: { levelsMadeMs: nowMs, isPaused: false, unsentMs: undefined },
}
const history = (more: object) => ({ history: { levelsMadeMs: nowMs, isPaused: false, unsentMs: undefined, ...more } })
const certificate = (leftMs: number) => ({ certificates: [{ name: 'server', endsMs: nowMs + leftMs }] })
const refused = (agoMs: number) => ({ refusedStart: { who: 'process 7 on b', ms: nowMs - agoMs } })
const space = (availableGb: number, totalGb: number) => ({
  space: { availableBytes: availableGb * gb, totalBytes: totalGb * gb },
})
const made = (agoMs: number, isMade = true) => ({ isMade, ms: nowMs - agoMs })
const brief = (facts: Partial<OwnFacts>) =>
  judgeSelf({ ...healthy, ...facts }).map(({ code, subject, severity }) => `${code} ${subject} ${severity}`)

describe('the control plane', () => {
  it('has no problem where nothing is wrong, or nothing is known', () => {
    expect(brief({})).toEqual([])
    expect(brief({ space: undefined, history: null, certificates: [] })).toEqual([])
  })

  it.each([
    [certificate(21 * dayMs + secondMs), []],
    [certificate(21 * dayMs), ['certificate_ends server warning']],
    [certificate(3 * dayMs + secondMs), ['certificate_ends server warning']],
    [certificate(3 * dayMs), ['certificate_ends server critical']],
    [certificate(-dayMs), ['certificate_ends server critical']],
    [{ backup: made(2 * dayMs) }, []],
    [{ backup: made(2 * dayMs + secondMs) }, ['backup_old backup warning']],
    [{ backup: made(2 * dayMs, false) }, []],
    [{ backup: made(2 * dayMs + secondMs, false) }, ['backup_old backup warning']],
    [{ copy: made(2 * dayMs) }, []],
    [{ copy: made(2 * dayMs + secondMs) }, ['backup_old copy warning']],
    // A twentieth of the disk, and at least 1 GB and at most 10 GB of it.
    [space(10, 100), []],
    [space(9.9, 100), ['roost_disk /var/lib/roost warning']],
    [space(5, 100), ['roost_disk /var/lib/roost warning']],
    [space(4.9, 100), ['roost_disk /var/lib/roost critical']],
    [space(20, 1_000), []],
    [space(9.9, 1_000), ['roost_disk /var/lib/roost critical']],
    [space(2, 10), []],
    [{ unavailableMs: 59_999 }, []],
    [{ unavailableMs: 60_000 }, ['roost_database database warning']],
    [refused(0), ['second_control_plane database warning']],
    [refused(hourMs), ['second_control_plane database warning']],
    [refused(hourMs + secondMs), []],
    [history({ levelsMadeMs: nowMs - 6 * hourMs }), []],
    [history({ levelsMadeMs: nowMs - 6 * hourMs - secondMs }), ['history_late history warning']],
    [history({ unsentMs: nowMs - hourMs }), []],
    [history({ unsentMs: nowMs - hourMs - secondMs }), ['history_late history warning']],
    [history({ isPaused: true }), ['history_late history warning']],
  ])('with %j has the problems %j', (facts, found) => expect(brief(facts)).toEqual(found))

  it('says what to do, by who renews the certificate and whether a backup was ever made', () => {
    const messageOf = (facts: Partial<OwnFacts>) => judgeSelf({ ...healthy, ...facts })[0]?.message
    expect(messageOf(certificate(5 * dayMs))).toMatch(/ends in 5 days\. Renew it, and install it/)
    expect(messageOf({ ...certificate(-dayMs), areCertificatesOwn: true })).toMatch(/has ended\. Roost should have/)
    expect(messageOf({ backup: made(3 * dayMs) })).toMatch(/^The last backup of the control plane is 3 days old\./)
    expect(messageOf({ backup: made(3 * dayMs, false) })).toMatch(
      /^No backup of the control plane was made in 3 days\./,
    )
  })
})
