import type { Machine } from '../swift/machine.js'

const bridge = '10.77.0.1'

/**
 * Adds a network to a machine, in which the machine is 10.77.0.1 and each of the names has a network of its own with one interface,
 * and returns the `/etc/hosts` of all. `server` is the name of the machine itself.
 */
export async function addNetwork(machine: Machine, server: string, names: readonly string[]): Promise<string> {
  const hosts = names.map((name, i) => [name, `10.77.0.${i + 2}`] as const)
  const links = hosts.map(
    ([name, address], i) => `ip netns add ${name}
      ip link add link${i} type veth peer name eth0 netns ${name}
      ip link set link${i} master roost0 up
      ip -n ${name} link set lo up
      ip -n ${name} address add ${address}/24 dev eth0
      ip -n ${name} link set eth0 up`,
  )
  await machine.exec(`ip link add roost0 type bridge
    ip address add ${bridge}/24 dev roost0
    ip link set roost0 up
    ${links.join('\n')}`)
  const lines = [['localhost', '127.0.0.1'], [server, bridge], ...hosts].map(([name, address]) => `${address} ${name}`)
  return `${lines.join('\n')}\n`
}
