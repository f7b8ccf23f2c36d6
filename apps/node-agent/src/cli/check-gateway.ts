import type { Finding } from '@roost/runtime'
import type { AgentConfig } from '../config.js'
import { isPrepared } from '../shares/prepare.js'
import { missingPreparations } from './gateway-prepare.js'

/** Checks that shares can be deployed to this machine, which is a gateway. */
export function checkGateway(config: AgentConfig): readonly Finding[] {
  return [checkServers(config), checkRights()]
}

function checkServers(config: AgentConfig): Finding {
  const check = 'servers of shares'
  try {
    const { machine, preparations } = missingPreparations(config)
    if (preparations.length === 0) return { check, verdict: 'ok', message: 'read the files of shares' }
    const message = isPrepared(machine)
      ? 'lack settings that shares need: `roost-agent gateway prepare` names them, and sets them.'
      : 'do not read the files of shares yet: run `roost-agent gateway prepare`.'
    return { check, verdict: 'warn', message }
  } catch (error) {
    return { check, verdict: 'fail', message: (error as Error).message }
  }
}

function checkRights(): Finding {
  const check = 'rights of a gateway'
  if (process.getuid?.() === 0) return { check, verdict: 'ok', message: 'root' }
  const message = 'deployments of shares take root: install roost-agent-gateway.conf, see docs/agent.md.'
  return { check, verdict: 'warn', message }
}
