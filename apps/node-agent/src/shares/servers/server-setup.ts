import { findGatewaySoftware, type GatewaySoftware } from '../../machine/gateway-software.js'
import type { Machine } from '../../machine/machine.js'
import type { RunCommand } from '../../machine/run-command.js'

/** A change that shares need of the machine's own configuration, besides the line that reads our file. */
export interface ConfigChange {
  /** For an operator, before it is made. */
  readonly sentence: string
  readonly apply: (text: string) => string
}

/** The machine's own configuration of a server, which must read our file. */
export interface ServerConfig {
  readonly path: string
  /** What makes the server read our file; it is added to the end. */
  readonly lines: string
  /** Returns whether a server with this text reads our file. */
  readonly reads: (text: string) => boolean
  /** Returns the text without what Roost added. */
  readonly without: (text: string) => string
  /** Returns the other change that shares need; undefined where the text has it. */
  readonly missing?: (text: string) => ConfigChange | undefined
  /** Reads a text with the server's own program, before it is in place. Rejects where that refuses it. */
  readonly check?: (text: string, run: RunCommand) => Promise<void>
}

/** What makes an installed server read the file of shares. */
export interface ServerSetup {
  readonly software: GatewaySoftware
  /** The one file that is ours. */
  readonly file: string
  /** Null where the server reads our file without it. */
  readonly config: ServerConfig | null
}

export function isInstalled(machine: Machine, { software }: ServerSetup): boolean {
  return findGatewaySoftware(machine, software) !== undefined
}
