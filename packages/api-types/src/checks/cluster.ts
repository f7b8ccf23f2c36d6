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
  judge: ({ node, ring, md5, otherMd5, others }: RingFacts) => ({
    subject: ring,
    sentence: `${node} has another file of the ring ${ring} (MD5 ${md5}) than ${countText(others, 'other node')} (MD5 ${otherMd5}). Servers with different rings store and search data at different locations.`,
    remedy: 'Copy the newest ring to all nodes.',
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
  judge: ({ node, version, otherVersion, others }: VersionFacts) => ({
    subject: node,
    sentence: `${node} runs Swift ${version}, and ${countText(others, 'other node')} Swift ${otherVersion}.`,
    remedy: 'Complete the upgrade of the cluster.',
  }),
})
