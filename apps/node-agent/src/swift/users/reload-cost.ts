import type { Machine } from '../../machine/machine.js'

/**
 * What a reload of the proxy costs clients whose connection it has not accepted yet, as a sentence with the remedy; null when it costs
 * nothing. The new process opens a socket of its own and the old one is shut down: Linux (5.14 and later) hands its queue over only when told to.
 */
export function reloadCost(kernel: Machine): string | null {
  if (kernel.read('/proc/sys/net/ipv4/tcp_migrate_req')?.trim() === '1') return null
  return 'A connection that the proxy has not accepted yet when it reloads is reset: set net.ipv4.tcp_migrate_req = 1 by sysctl on this node (docs/agent.md).'
}
