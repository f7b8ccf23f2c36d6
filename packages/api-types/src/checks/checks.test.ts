import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import {
  alertCodes,
  alertOf,
  asyncPending,
  cacheNearlyFull,
  cacheSmall,
  checks,
  clockSkew,
  clusterSilent,
  daemonLate,
  daemonRestarts,
  dataDirNearlyFull,
  deviceMissing,
  deviceFills,
  deviceFull,
  deviceUnmounted,
  dispersionLow,
  duplicateUuid,
  filesystemErrors,
  measureOf,
  nodeDuplicate,
  nodeNeedsUpgrade,
  nodeSilent,
  policiesDiffer,
  policyDevicesUnavailable,
  policyFills,
  policyUneven,
  quarantined,
  reconStale,
  replicationOld,
  ringMismatch,
  ringNameUnresolved,
  partPowerIncrease,
  ringShort,
  severityOf,
  sharedFilesystem,
  shareNotUploaded,
  swiftConfMismatch,
} from './index.js'
import type { Problem } from './index.js'

/** `code subject (severity)` of what a check found. */
const brief = (problems: readonly Problem[]) => problems.map((one) => `${one.code} ${one.subject} (${one.severity})`)

describe('the list of checks', () => {
  it('has each code once, in the form in which the API shows it', () => {
    const codes = checks.map(({ code }) => code)
    expect(new Set(codes).size).toBe(codes.length)
    expect(codes.filter((code) => !/^[a-z]+(_[a-z]+)*$/.test(code))).toEqual([])
  })

  it('is the table of docs/checks.md, with the same severities', () => {
    const page = readFileSync(new URL('../../../../docs/checks.md', import.meta.url), 'utf8')
    const rows = [...page.matchAll(/^\| `(\w+)` \| (warning|critical)/gm)].map(
      ([, code, severity]) => `${code} ${severity}`,
    )
    const listed = checks.map(({ code, severity }) => `${code} ${severity}`)
    expect(new Set(rows)).toEqual(new Set(listed))
  })

  it('has a page in docs/alerts for each alert, with what the list says of it, and no other page', () => {
    const folder = new URL('../../../../docs/alerts/', import.meta.url)
    expect(readdirSync(folder).toSorted()).toEqual(alertCodes.map((code) => `${code}.md`).toSorted())
    for (const { code, severity, effect } of checks) {
      const page = readFileSync(new URL(`${alertOf(code).code}.md`, folder), 'utf8')
      expect(page).toContain(`\n${effect}\n`)
      expect(page).toContain(`| \`${code}\` | ${severity} |`)
    }
  })

  it('has its values and thresholds in a table of docs/checks.md', () => {
    const page = readFileSync(new URL('../../../../docs/checks.md', import.meta.url), 'utf8')
    const [, table = ''] = page.split('## Values and thresholds\n')
    const rows = [...table.matchAll(/^\| `(\w+)` \| (.+?) \|$/gm)].map(([, code, what]) => `${code} ${what}`)
    const listed = checks.flatMap(({ code, measure }) => (measure === undefined ? [] : [`${code} ${measure.what}`]))
    expect(rows.toSorted()).toEqual(listed.toSorted())
  })

  it('gives a code that a newer agent reports the severity of a warning', () => {
    expect(severityOf('ring_unreadable')).toBe('critical')
    expect(severityOf('disk_is_haunted')).toBe('warning')
  })
})

const node = 'store-1'

describe('a check that compares a number with a limit', () => {
  const silence = { node, isEnabled: true, isSilent: true }
  const counts = { node, accounts: 1, containers: null, objects: 3, byPolicy: new Map<string, number>() }
  const daemon = { daemon: 'object-updater', file: '/etc/swift/object-server.conf' }
  const pass = { ...daemon, intervalSeconds: 300, longestPassSeconds: 3_600 }
  const dispersion = { policy: 'gold', kind: 'object', found: 97, expected: 100, mostMissing: 1 } as const
  const fills = { node, devices: 1, first: 'd5', usedPercent: 70 }
  const ring = { node, ring: 'object', assigned: 100, otherAssigned: 128, others: 2 }
  const share = { share: 'films', bytes: 9, oldest: new Date(0), action: 'Wait.' }
  it.each([
    [nodeSilent.find({ ...silence, silentSeconds: 301.5 }), 301, 300],
    [nodeSilent.find({ ...silence, silentSeconds: 1_800 }), 1_800, 1_800],
    [clusterSilent.find({ cluster: 'east', nodes: 20, silentNodes: 5, silentSeconds: 60 }), 5, 4],
    [clockSkew.find({ node, skewSeconds: -6.04 }), 6, 5],
    [clockSkew.find({ node, skewSeconds: 31 }), 31, 30],
    [policyDevicesUnavailable.find({ policy: 'gold', devices: 3, nodes: 2 }), 2, 1],
    [deviceFills.find({ ...fills, middle: 7.4, late: 28.5 }), 28.5, 30],
    [deviceFills.find({ ...fills, middle: 6.5, late: null }), 6.5, 7],
    [policyFills.find({ ringSet: 'gold', middle: 7, late: 9, usedPercent: 60 }), 7, 7],
    [policyUneven.find({ ringSet: 'gold', average: 60, pct95: 70.1 }), 10.1, 10],
    [ringShort.find(ring), 100, 128],
    [replicationOld.find({ node, server: 'object', ageSeconds: 90_000 }), 90_000, 86_400],
    [quarantined.find(counts), 4, 0],
    [asyncPending.find({ device: 'd1', count: 2, oldestSeconds: 7_200 }), 7_200, 3_600],
    [dispersionLow.find(dispersion), 3, 0],
    [daemonRestarts.find({ ...daemon, missed: 0, restarts: 4 }), 4, 3],
    [daemonLate.find({ ...pass, passSeconds: 5_000 }), 5_000, 4_500],
    [reconStale.find({ path: '/r', ageSeconds: 4_000, running: 1, intervalSeconds: 60 }), 4_000, 3_600],
    [filesystemErrors.find({ mountPoint: '/d1', source: '/dev/sda', count: 2, isNow: true }), 2, 0],
    [dataDirNearlyFull.find({ dataDir: '/var', availableBytes: 5, leastBytes: 9 }), 5, 9],
    [cacheSmall.find({ directory: '/c', partMegabytes: 500, leastMegabytes: 1_024, shares: 2 }), 500, 1_024],
    [cacheNearlyFull.find({ directory: '/c', state: 'is 97 % full', usedPercent: 97, mostPercent: 90 }), 97, 90],
    [shareNotUploaded.find({ ...share, files: 3 }), 3, 0],
  ])('answers both with its problem: %j', ([problem], value, threshold) => {
    expect(problem).toMatchObject({ value, threshold })
    expect(measureOf(problem?.code ?? '')).toBeDefined()
  })

  it('is one of which the list says what is compared; others answer no number', () => {
    expect(Object.keys(nodeDuplicate.find({ node, state: 'duplicate' })[0] ?? {})).not.toContain('value')
    expect([measureOf('node_duplicate'), measureOf('disk_is_haunted')]).toEqual([undefined, undefined])
  })
})

describe('checks of nodes', () => {
  const silence = { node, isEnabled: true, isSilent: true }

  it.each([
    [{ ...silence, silentSeconds: 299 }, []],
    [{ ...silence, silentSeconds: 300 }, ['node_silent store-1 (warning)']],
    [{ ...silence, silentSeconds: 1_800 }, ['node_silent store-1 (critical)']],
    [{ ...silence, silentSeconds: null }, []],
    [{ ...silence, isSilent: false, silentSeconds: 9_000 }, []],
    [{ ...silence, isEnabled: false, silentSeconds: 9_000 }, []],
  ])('node_silent of %j is %j', (facts, found) => expect(brief(nodeSilent.find(facts))).toEqual(found))

  it.each([
    [null, []],
    [5, []],
    [-6, ['clock_skew store-1 (warning)']],
    [300, ['clock_skew store-1 (critical)']],
  ])('clock_skew of %j s is %j', (skewSeconds, found) =>
    expect(brief(clockSkew.find({ node, skewSeconds }))).toEqual(found),
  )

  it('say in which direction a clock is wrong', () => {
    const messageOf = (skewSeconds: number) => clockSkew.find({ node, skewSeconds })[0]?.message
    expect(messageOf(300)).toContain('5 minutes ahead of')
    expect(messageOf(-45)).toContain('45 s behind')
  })

  it.each(['duplicate', 'needs_upgrade', 'online'])('judge the state %s', (state) => {
    const found = [...nodeDuplicate.find({ node, state }), ...nodeNeedsUpgrade.find({ node, state })]
    expect(found.map(({ code }) => code)).toEqual(state === 'online' ? [] : [`node_${state}`])
  })
})

describe('checks of devices and filesystems', () => {
  it.each([
    ['ok', []],
    ['failed', []],
    ['unmounted', ['device_unmounted d5 (warning)']],
    ['missing', ['device_missing d5 (warning)']],
  ])('a device with the status %s has %j', (status, found) => {
    const facts = { node, device: 'd5', status }
    expect(brief([...deviceUnmounted.find(facts), ...deviceMissing.find(facts)])).toEqual(found)
  })

  it.each([
    [84.94, []],
    [85, [`device_full ${node} (warning)`]],
    [91.94, [`device_full ${node} (warning)`]],
    [91.96, [`device_full ${node} (critical)`]],
  ])('a device that is %d %% full has %j', (usedPercent, found) => {
    expect(brief(deviceFull.find({ node, devices: 1, fullest: 'd5', usedPercent }))).toEqual(found)
  })

  it('a policy is critical as soon as devices of two nodes are not available', () => {
    expect(brief(policyDevicesUnavailable.find({ policy: 'gold', devices: 3, nodes: 1 }))).toEqual([])
    expect(brief(policyDevicesUnavailable.find({ policy: 'gold', devices: 3, nodes: 2 }))).toEqual([
      'policy_devices_unavailable gold (critical)',
    ])
  })

  it('find nothing where one filesystem has one name, one UUID and no errors', () => {
    expect(sharedFilesystem.find({ names: ['d1'] })).toEqual([])
    expect(duplicateUuid.find({ uuid: 'u', sources: ['/dev/sda'] })).toEqual([])
    expect(filesystemErrors.find({ mountPoint: '/d1', source: '/dev/sda', count: 0, isNow: true })).toEqual([])
  })
})

describe('checks of background work', () => {
  it.each([
    ['object', null, []],
    ['object', 86_400, []],
    ['object', 86_401, ['replication_old object-replicator (warning)']],
    ['account', 3_600, []],
    ['container', 3_601, ['replication_old container-replicator (warning)']],
  ] as const)('a pass of the %s replicator that ended %j s ago is %j', (server, ageSeconds, found) =>
    expect(brief(replicationOld.find({ node, server, ageSeconds }))).toEqual(found),
  )

  it('quarantined names the counts, and the policies of objects', () => {
    const counts = { node, accounts: 0, containers: 1, objects: 3 }
    const [found] = quarantined.find({ ...counts, byPolicy: new Map(Object.entries({ gold: 2, silver: 1, ec: 0 })) })
    expect(found?.message).toContain('1 container, 3 objects (gold 2, silver 1) on store-1')
    expect(quarantined.find({ ...counts, containers: 0, objects: 0, byPolicy: new Map() })).toEqual([])
    const unknown = { node, accounts: null, containers: null, objects: null, byPolicy: new Map<string, number>() }
    expect(quarantined.find(unknown)).toEqual([])
  })

  it('async_pending begins with an update that is older than an hour', () => {
    expect(asyncPending.find({ device: 'd1', count: 5_000, oldestSeconds: 3_600 })).toEqual([])
    expect(asyncPending.find({ device: 'd1', count: 5_000, oldestSeconds: null })).toEqual([])
    expect(asyncPending.find({ device: 'd1', count: 2, oldestSeconds: 7_200 })[0]?.message).toContain(
      'wait on d1 for 2 hours (2)',
    )
  })
})

describe('checks of what all nodes should have alike', () => {
  it('name the node, the ring and both files', () => {
    const [found] = ringMismatch.find({ node, ring: 'object-1', md5: 'aa', otherMd5: 'bb', others: 2 })
    expect(found).toMatchObject({ code: 'ring_mismatch', severity: 'critical', subject: 'object-1' })
    expect(found?.message).toMatch(
      /store-1 has another file of the ring object-1 \(MD5 aa\) than 2 other nodes \(MD5 bb\)/,
    )
  })

  it('name the file, the node and both lengths of a ring that was cut', () => {
    const facts = { node, ring: 'object', assigned: 100, otherAssigned: 128, others: 2 }
    expect(ringShort.find(facts)[0]).toMatchObject({ code: 'ring_short', severity: 'critical', subject: 'object' })
    expect(ringShort.find(facts)[0]?.message).toMatch(/object\.ring\.gz of store-1 has 100 .* 2 other nodes has 128/)
    expect(ringShort.find({ ...facts, assigned: 128 })).toEqual([])
  })

  it.each([
    [null, []],
    [11, ['part_power_increase object (warning)']],
    [10, ['part_power_increase object (warning)']],
  ])('part_power_increase of next_part_power %j is %j', (nextPartPower, found) =>
    expect(brief(partPowerIncrease.find({ ring: 'object', partitions: 1_024, nextPartPower }))).toEqual(found),
  )

  it('say which step of an increase of the part power is next', () => {
    const messageOf = (nextPartPower: number) =>
      partPowerIncrease.find({ ring: 'object', partitions: 1_024, nextPartPower })[0]?.message
    expect(messageOf(11)).toMatch(/from 10 to 11.* relink`/)
    expect(messageOf(10)).toMatch(/increased to 10.* cleanup`/)
  })

  it('name the node with another hash suffix, and no value of it', () => {
    const [found] = swiftConfMismatch.find({ node, others: 2 })
    expect(found).toMatchObject({ code: 'swift_conf_mismatch', severity: 'critical', subject: node })
    expect(found?.message).toContain('another hash suffix or prefix than that of 2 other nodes')
  })

  it('name the hosts of rings that the name server does not know', () => {
    expect(ringNameUnresolved.find({ names: [] })).toEqual([])
    expect(ringNameUnresolved.find({ names: ['a', 'b', 'c', 'd'] })[0]?.message).toContain('(a, b, c …)')
  })

  it('name both names of a policy', () => {
    const facts = { node, index: 0, name: 'stolen', otherName: 'gold', others: 1 }
    expect(policiesDiffer.find(facts)[0]?.message).toContain(
      "names policy 0 'stolen'; that of 1 other node names it 'gold'",
    )
    expect(policiesDiffer.find({ ...facts, name: 'gold' })[0]?.message).toContain('defines policy 0 (gold) otherwise')
  })
})
