import type { PlannedChange } from '../../prepare/change.js'
import type { Effect } from '../../prepare/effects.js'

/** How the running proxy gets its changed configuration. */
export interface ProxyEffect {
  readonly effect: Effect
  /** For an operator, before it is done. */
  readonly sentence: string
}

/**
 * Returns what the proxy needs after these changes; null where it needs nothing. A drop-in of its unit counts after a restart; other
 * settings after SIGUSR1, which loses no request.
 */
export function proxyEffect(unit: string, folder: string, changes: readonly PlannedChange[]): ProxyEffect | null {
  const isChanged = (start: string) => changes.some(({ path }) => path.startsWith(start))
  if (isChanged(`/etc/systemd/system/${unit}.d/`))
    return {
      effect: ['try-restart', unit],
      sentence:
        'The proxy has to be restarted once. A restart loses the requests that are under way: take this node out of the load balancer meanwhile.',
    }
  if (!isChanged(folder)) return null
  return {
    effect: ['kill', '--kill-who=main', '--signal=SIGUSR1', unit],
    sentence: 'The proxy has to be reloaded, which interrupts no request.',
  }
}
