import { BaseSequencer } from 'vitest/node'
import type { TestSpecification } from 'vitest/node'

/**
 * Suites that take minutes, the longest first. One that begins last is waited for alone, and a clean clone does not know how long
 * the suites took the last time.
 */
const longest = [
  'gateways/data-path',
  'gateways/real-servers',
  'swift/health-faults',
  'system/gateway-service',
  'system/install-line',
  'system/agent-upgrade',
  'system/control-plane-package',
  'swift/superuser-tokens',
  'gateways/restored-mounts',
  'keystone/users',
  'keystone/users-on-swift',
  'gateways/keystone',
  'start/clone',
  'start/package-formats',
  'hostile/fields',
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
