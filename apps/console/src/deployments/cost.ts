import type { JobPlan } from '../api/queries/deployments.js'

/** What a plan costs, in numbers. */
export interface Cost {
  readonly nodes: number
  readonly files: number
  readonly restarts: number
  readonly sessions: number
  /** Nodes that could not say what they would do. */
  readonly failed: number
  readonly changes: boolean
}

export function costOf({ nodes, identity }: JobPlan): Cost {
  const daemons = nodes.flatMap((node) => node.daemons)
  const files = sum(nodes.map((node) => node.files.length))
  const mounts = sum(nodes.map(({ mounts }) => mounts.started.length + mounts.stopped.length))
  return {
    nodes: nodes.length,
    files,
    restarts: daemons.filter(({ action }) => action === 'restart').length,
    sessions: sum(daemons.map(({ sessions_lost: lost }) => lost.length)),
    failed: nodes.filter(({ error }) => error !== null).length,
    changes: files + mounts + (identity?.objects.length ?? 0) > 0 || daemons.some(({ action }) => action !== 'none'),
  }
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0)
}
