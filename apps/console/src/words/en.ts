import type { Message, ParametersOf } from './catalogue.js'
import { devices } from './en/devices.js'
import { node } from './en/node.js'
import { access } from './en/access.js'
import { alerts } from './en/alerts.js'
import { audit } from './en/audit.js'
import { deploy } from './en/deploy.js'
import { explain } from './en/explain.js'
import { generations } from './en/generations.js'
import { nodes } from './en/nodes.js'
import { overview } from './en/overview.js'
import { shares } from './en/shares.js'
import { shell } from './en/shell.js'
import { states } from './en/states.js'
import { ui } from './en/ui.js'
import { silences } from './en/silences.js'
import { rules } from './en/rules.js'
import { receivers } from './en/receivers.js'
import { users } from './en/users.js'
import { utilization } from './en/utilization.js'
import { system } from './en/system.js'

/** THE LIST of every text of the console, in English; `de.ts` has the same keys. */
export const en = {
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
} as const

export type Key = keyof typeof en
export type Catalogue = { readonly [K in Key]: (typeof en)[K] extends string ? string : Exclude<Message, string> }

/** The keys of texts without parameters, for lists that name a text. */
export type PlainKey = { [K in Key]: ParametersOf<(typeof en)[K]> extends never ? K : never }[Key]
