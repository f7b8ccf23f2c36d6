import type { Config } from '../config.js'
import type { RunningServer } from '../context/running-server.js'
import type { Log } from '../lifecycle/log.js'

/** Starts the control plane. `stopping` ends a start that waits for the database. */
export type StartServer = (config: Config, log: Log, stopping: AbortSignal) => Promise<RunningServer>

/** The flags of `local serve`. */
export interface ServeFlags {
  /** The agent's program for this machine. */
  readonly agent?: string
}

export interface ServeOptions extends ServeFlags {
  readonly startServer: StartServer
}
