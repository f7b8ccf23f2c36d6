import type { Machine } from '../../machine/machine.js'

/**
 * Describes the cost of a reload for clients whose connection the proxy has not accepted yet, with the remedy; null without a cost.
 * The new process opens its own socket and the old one is shut down: Linux (5.14 and later) moves its queue only with this setting.
 */
export function reloadCost(kernel: Machine): string | null {
  if (kernel.read('/proc/sys/net/ipv4/tcp_migrate_req')?.trim() === '1') return null
  return 'A reload resets connections that the proxy has not accepted yet: set net.ipv4.tcp_migrate_req = 1 with sysctl on this node (docs/proxies.md).'
}
