import type { Finding } from '@roost/runtime'
import type { AgentConfig } from '../config.js'
import { kernelOf, openMachine } from '../machine/machine.js'
import { readUnitText } from '../prepare/unit-text.js'
import { unitOfGateway } from '../shares/gateway-unit.js'
import { isPrepared } from '../shares/prepare.js'
import { checkConfinement } from './checks/check-confinement.js'
import { missingPreparations } from './prepare/gateway-prepare.js'

/** Checks that shares can be deployed to this machine, which is a gateway. */
export function checkGateway(config: AgentConfig): readonly Finding[] {
  const machine = openMachine(config.root)
  const { mountDirectory } = config.gateway
  const confinement = checkConfinement({ machine, kernel: kernelOf(machine), mountDirectory })
  return [checkServers(config), checkRights(config), ...confinement]
}

function checkServers(config: AgentConfig): Finding {
  const check = 'servers of shares'
  try {
    const { machine, preparations } = missingPreparations(config)
    if (preparations.length === 0) return { check, verdict: 'ok', message: 'the share servers read the files of Roost' }
    const message = isPrepared(machine)
      ? 'the share servers lack settings that shares need: run `roost-agent gateway prepare`, which shows and applies them.'
      : 'the share servers do not read the files of Roost yet: run `roost-agent gateway prepare`.'
    return { check, verdict: 'warn', message }
  } catch (error) {
    return { check, verdict: 'fail', message: (error as Error).message }
  }
}

/** Checks the account of the unit, where one starts the agent: this command may run as another account. */
function checkRights({ root }: AgentConfig): Finding {
  const check = 'rights of a gateway'
  const machine = openMachine(root)
  const isUnit = readUnitText(machine, 'roost-agent.service') !== undefined
  const isRoot = isUnit ? unitOfGateway(machine).length === 0 : process.getuid?.() === 0
  if (isRoot) return { check, verdict: 'ok', message: 'root' }
  const message = 'deployments of shares need the permissions of root: run `roost-agent gateway prepare`.'
  return { check, verdict: 'warn', message }
}
