import type { Message, ParametersOf } from './catalogue.js'
import { devices } from './en/devices.js'
import { node } from './en/node.js'
import { nodes } from './en/nodes.js'
import { overview } from './en/overview.js'
import { shell } from './en/shell.js'
import { states } from './en/states.js'
import { ui } from './en/ui.js'

/** THE LIST of every text of the console, in English; `de.ts` has the same keys. */
export const en = { ...shell, ...ui, ...states, ...overview, ...nodes, ...node, ...devices } as const

export type Key = keyof typeof en
export type Catalogue = { readonly [K in Key]: (typeof en)[K] extends string ? string : Exclude<Message, string> }

/** The keys of texts without parameters, for lists that name a text. */
export type PlainKey = { [K in Key]: ParametersOf<(typeof en)[K]> extends never ? K : never }[Key]
