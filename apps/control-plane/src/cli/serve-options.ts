import type { Config } from '../config.js'
import type { RunningServer } from '../context/running-server.js'
import type { Log } from '../lifecycle/log.js'

export type StartServer = (config: Config, log: Log) => Promise<RunningServer>

/** The flags of `local serve`. */
export interface ServeFlags {
  /** The agent's program for this machine. */
  readonly agent?: string
}

export interface ServeOptions extends ServeFlags {
  readonly startServer: StartServer
}
