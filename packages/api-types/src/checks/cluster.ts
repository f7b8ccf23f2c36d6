import { check } from './check.js'
import { countText } from './text.js'

/** A node that has something otherwise than most nodes of its cluster; without a majority, otherwise than some. */
interface DeviationFacts {
  readonly node: string
  /** Nodes that have the other copy. */
  readonly others: number
}

interface RingFacts extends DeviationFacts {
  readonly ring: string
  readonly md5: string
  readonly otherMd5: string
}

export const ringMismatch = check({
  code: 'ring_mismatch',
  severity: 'critical',
  about: 'ring',
  endangers: 'data',
  effect: 'Servers store and search data at different locations: objects seem to be missing.',
  alert: { forSeconds: 900 },
  judge: ({ node, ring, md5, otherMd5, others }: RingFacts) => ({
    subject: ring,
    sentence: `${node} has another file of the ring ${ring} (MD5 ${md5}) than ${countText(others, 'other node')} (MD5 ${otherMd5}). Servers with different rings store and search data at different locations.`,
    remedy: 'Copy the newest ring to all nodes.',
  }),
})

interface ShortRingFacts extends DeviationFacts {
  readonly ring: string
  /** Partitions, counting each replica, in its file and in that of the other nodes. */
  readonly assigned: number
  readonly otherAssigned: number
}

/** Swift loads a ring whose table was cut, and then finds no devices for some partitions. */
export const ringShort = check({
  code: 'ring_short',
  severity: 'critical',
  about: 'ring',
  endangers: 'service',
  effect: 'Requests for the missing partitions fail.',
  measure: { what: 'partitions of the file, counting each replica' },
  alert: { forSeconds: 900 },
  judge({ node, ring, assigned, otherAssigned, others }: ShortRingFacts) {
    if (assigned >= otherAssigned) return undefined
    return {
      value: assigned,
      threshold: otherAssigned,
      subject: ring,
      sentence: `The file ${ring}.ring.gz of ${node} has ${assigned} partitions (counting each replica); that of ${countText(others, 'other node')} has ${otherAssigned}. It may be cut.`,
      remedy: 'Copy the ring from another node again.',
    }
  },
})

interface PartPowerFacts {
  readonly ring: string
  readonly partitions: number
  /** Null while nothing is under way, and from agents of 0.2. */
  readonly nextPartPower: number | null
}

/** Swift reads and writes both locations of an object until an operator has finished it. */
export const partPowerIncrease = check({
  code: 'part_power_increase',
  severity: 'warning',
  about: 'ring',
  endangers: 'upkeep',
  effect: 'Swift reads and writes two locations of each object, which costs time and space until it is finished.',
  alert: { forSeconds: 86400 },
  judge({ ring, partitions, nextPartPower: next }: PartPowerFacts) {
    if (next === null) return undefined
    const now = Math.round(Math.log2(partitions))
    return next > now
      ? {
          subject: ring,
          sentence: `The ring ${ring} is prepared for an increase of its part power from ${now} to ${next}.`,
          remedy:
            'Run `swift-object-relinker relink` on every storage node, then `swift-ring-builder … increase_partition_power`.',
        }
      : {
          subject: ring,
          sentence: `The part power of the ring ${ring} was increased to ${now}, and this is not finished.`,
          remedy:
            'Run `swift-object-relinker cleanup` on every storage node, then `swift-ring-builder … finish_increase_partition_power`.',
        }
  },
})

export const swiftConfMismatch = check({
  code: 'swift_conf_mismatch',
  severity: 'critical',
  about: 'node',
  endangers: 'data',
  effect: 'The node stores and searches data at other locations than the others.',
  alert: { forSeconds: 900 },
  judge: ({ node, others }: DeviationFacts) => ({
    subject: node,
    sentence: `The swift.conf of ${node} has another hash suffix or prefix than that of ${countText(others, 'other node')}. Its servers search data at other locations.`,
    remedy: 'Copy swift.conf from another node, and restart the Swift servers of this one.',
  }),
})

interface PolicyFacts extends DeviationFacts {
  readonly index: number
  readonly name: string
  readonly otherName: string
}

export const policiesDiffer = check({
  code: 'policies_differ',
  severity: 'critical',
  about: 'policy',
  endangers: 'data',
  effect: 'Objects can be stored with the wrong policy, or are not found.',
  alert: { forSeconds: 900 },
  judge({ node, index, name, otherName, others }: PolicyFacts) {
    const most = countText(others, 'other node')
    const sentence =
      name === otherName
        ? `The swift.conf of ${node} defines policy ${index} (${name}) otherwise than that of ${most}.`
        : `The swift.conf of ${node} names policy ${index} '${name}'; that of ${most} names it '${otherName}'.`
    return {
      subject: String(index),
      sentence,
      remedy: 'Use the same swift.conf on all nodes, and restart the Swift servers where it changed.',
    }
  },
})

interface VersionFacts extends DeviationFacts {
  readonly version: string
  readonly otherVersion: string
}

export const swiftVersionDiffers = check({
  code: 'swift_version_differs',
  severity: 'warning',
  about: 'node',
  endangers: 'upkeep',
  effect: 'Nodes behave differently, and mixed clusters are hardly tested.',
  alert: { forSeconds: 86400 },
  judge: ({ node, version, otherVersion, others }: VersionFacts) => ({
    subject: node,
    sentence: `${node} runs Swift ${version}, and ${countText(others, 'other node')} Swift ${otherVersion}.`,
    remedy: 'Complete the upgrade of the cluster.',
  }),
})
