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
    if (preparations.length === 0) return { check, verdict: 'ok', message: 'the share servers read the files of Roost' }
    const message = isPrepared(machine)
      ? 'the share servers lack settings that shares need: run `roost-agent gateway prepare`, which shows and applies them.'
      : 'the share servers do not read the files of Roost yet: run `roost-agent gateway prepare`.'
    return { check, verdict: 'warn', message }
  } catch (error) {
    return { check, verdict: 'fail', message: (error as Error).message }
  }
}

function checkRights(): Finding {
  const check = 'rights of a gateway'
  if (process.getuid?.() === 0) return { check, verdict: 'ok', message: 'root' }
  const message = 'deployments of shares need root permissions: install roost-agent-gateway.conf, see docs/agent.md.'
  return { check, verdict: 'warn', message }
}
