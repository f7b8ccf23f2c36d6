import { devices } from './de/devices.js'
import { node } from './de/node.js'
import { access } from './de/access.js'
import { alerts } from './de/alerts.js'
import { audit } from './de/audit.js'
import { deploy } from './de/deploy.js'
import { explain } from './de/explain.js'
import { generations } from './de/generations.js'
import { nodes } from './de/nodes.js'
import { overview } from './de/overview.js'
import { shares } from './de/shares.js'
import { shell } from './de/shell.js'
import { states } from './de/states.js'
import { ui } from './de/ui.js'
import { silences } from './de/silences.js'
import { rules } from './de/rules.js'
import { receivers } from './de/receivers.js'
import { users } from './de/users.js'
import { utilization } from './de/utilization.js'
import { system } from './de/system.js'
import type { Catalogue } from './en.js'

export const de: Catalogue = {
  ...shell,
  ...ui,
  ...states,
  ...overview,
  ...nodes,
  ...node,
  ...devices,
  ...explain,
  ...shares,
  ...users,
  ...utilization,
  ...deploy,
  ...generations,
  ...audit,
  ...alerts,
  ...silences,
  ...rules,
  ...receivers,
  ...access,
  ...system,
}
