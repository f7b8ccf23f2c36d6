import { readdirSync, readFileSync } from 'node:fs'
import { closedPorts } from '@roost/runtime'
import type { FirewallFiles } from '@roost/runtime'
import { isLoopback } from '../../config.js'
import type { InstanceFile } from '../../lifecycle/instance.js'
import type { Check } from './check.js'

/** Checks whether ufw or firewalld of this machine close the port to nodes and people. */
export function firewall({ listen }: Pick<InstanceFile, 'listen'>, files: FirewallFiles): Check {
  return {
    name: 'firewall',
    async run() {
      if (listen === null || isLoopback(listen.host)) return ['ok', 'no other machine reaches this one']
      const { port: number } = listen
      const [closed] = closedPorts(files, [{ number, service: 'roost', label: 'Roost' }])
      if (closed === undefined) return ['ok', `neither ufw nor firewalld close port ${number}`]
      return ['warn', `${closed.firewall} closes port ${number} to nodes and people: run \`${closed.remedy}\`.`]
    },
  }
}

/** Files of the firewalls can be read by root alone: what cannot be read counts as not there. */
export const thisMachine: FirewallFiles = {
  read: readIfPossible,
  runs: (program) =>
    readdirSync('/proc').some((pid) => /^\d+$/.test(pid) && readIfPossible(`/proc/${pid}/comm`)?.trim() === program),
}

function readIfPossible(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}
