import { BaseSequencer } from 'vitest/node'
import type { TestSpecification } from 'vitest/node'

/**
 * Suites that take minutes, the longest first. One that begins last is waited for alone, and a clean clone does not know how long
 * the suites took the last time.
 */
const longest = [
  'gateways/real-servers',
  'gateways/data-path',
  'system/swift-cluster',
  'swift/superuser-tokens',
  'system/control-plane-service',
  'swift/health-faults',
  'gateways/keystone',
  'system/control-plane-package',
  'keystone/users',
  'keystone/users-on-swift',
  'swift/usage',
  'swift/user-database',
  'keystone/drift',
  'system/install-line',
  'faults/full-disk-database',
  'system/gateway-service',
  'gateways/restored-mounts',
  'faults/control-plane-failpoints',
  'start/clone',
  'console/screens',
  'start/package-formats',
  'start/cli',
  'start/cli-records',
  'faults/random-kills',
  'start/cli-apply-rules',
  'deployments/unreachable-proxies',
  'hostile/fields',
  'faults/records-model',
  'deployments/roost-deploy',
  'start/cli-output',
  'operators/backup',
  'console/session',
  'stream/fleet',
]

/** Begins the suites of each group of projects that take the longest, then the others in Vitest's order. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    return sorted.toSorted((a, b) => groupOf(a) - groupOf(b) || rankOf(a) - rankOf(b))
  }
}

function groupOf({ project }: TestSpecification): number {
  return project.config.sequence.groupOrder
}

function rankOf({ moduleId }: TestSpecification): number {
  const rank = longest.findIndex((name) => moduleId.endsWith(`/test/${name}.test.ts`))
  return rank === -1 ? longest.length : rank
}
