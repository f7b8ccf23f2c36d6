import type { AgentMessage, DeploymentKind, DriftedItem } from '@roost/api-types/agent'
import type { Applier } from './applier.js'
import { truncateDriftDiffs } from './truncate-diffs.js'

interface DriftReportsOptions {
  readonly kind: DeploymentKind
  readonly applier: Applier | undefined
  readonly send: (message: AgentMessage) => void
  /** Returns true while an answer waits to be acknowledged. */
  readonly isAnswering: () => boolean
}

/** Reports drift from a generation when it has changed. */
export interface DriftReports {
  /** Starts a session: drift is reported again. */
  connected(): void
  report(inForce: number): Promise<void>
}

export function createDriftReports({ kind, applier, send, isAnswering }: DriftReportsOptions): DriftReports {
  /** The drift that was reported in this session, as JSON. */
  let reported: string | null = null
  return {
    connected() {
      reported = null
    },
    async report(inForce) {
      // The control plane ignores drift until it knows which generation is in force.
      if (applier === undefined || inForce === 0 || isAnswering()) return
      const items: DriftedItem[] = truncateDriftDiffs(await applier.drift())
      const text = JSON.stringify([inForce, items])
      if (text === reported) return
      reported = text
      send({ type: 'drift', kind, in_force: inForce, items })
    },
  }
}
