import { devices } from './de/devices.js'
import { node } from './de/node.js'
import { nodes } from './de/nodes.js'
import { overview } from './de/overview.js'
import { shell } from './de/shell.js'
import { states } from './de/states.js'
import { ui } from './de/ui.js'
import type { Catalogue } from './en.js'

export const de: Catalogue = { ...shell, ...ui, ...states, ...overview, ...nodes, ...node, ...devices }
