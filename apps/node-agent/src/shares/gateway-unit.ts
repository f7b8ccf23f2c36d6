import { readFileSync } from 'node:fs'
import type { Machine } from '../machine/machine.js'
import { assetPath } from '../machine/package.js'
import type { Change } from '../prepare/change.js'
import { newFile } from '../prepare/file-change.js'
import { readUnitText, settingsOf } from '../prepare/unit-text.js'

const dropIn = '/etc/systemd/system/roost-agent.service.d/gateway.conf'

/** Returns the change that lets the unit of the agent serve shares; none where it may, or where no unit starts the agent. */
export function unitOfGateway(machine: Machine): readonly Change[] {
  const unit = readUnitText(machine, 'roost-agent.service')
  if (unit === undefined || settingsOf(unit, 'User').at(-1) === 'root') return []
  const text = readFileSync(assetPath('roost-agent-gateway.conf'), 'utf8')
  return [newFile(dropIn, text, 'runs the agent as root, before the servers of shares')]
}
