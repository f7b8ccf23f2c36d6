import type { AccessLogChoice } from '../../swift/proxy-setup/access-log-changes.js'

/** Flags of every command. `--data-dir` defaults to ROOST_AGENT_DATA_DIR, then to /var/lib/roost-agent. */
export interface GlobalFlags {
  readonly dataDir?: string
  /** A prefix before every path of the machine that the agent reads. */
  readonly root?: string
  /** The agent's configuration file. */
  readonly config?: string
}

export interface EnrollFlags extends GlobalFlags {
  readonly server: string
  readonly token: string
  readonly caSha256?: string
  readonly takePlace?: boolean
  readonly newNode?: boolean
  /** Prepares the servers of shares too. */
  readonly gateway?: boolean
}

export interface PrepareFlags extends GlobalFlags {
  readonly yes?: boolean
}

export interface LeaveFlags extends PrepareFlags {
  readonly endShares?: boolean
  /** Leaves files in the cache that are not in Swift. */
  readonly force?: boolean
  /** Seconds without an upload after which the command ends. */
  readonly wait?: number
}

export interface ProxyFlags extends PrepareFlags {
  /** Also restarts or reloads the proxy, which then reads its changed configuration. */
  readonly restartProxy?: boolean
}

export interface ProxyPrepareFlags extends ProxyFlags {
  readonly accessLog?: AccessLogChoice
}

export interface ProxyLeaveFlags extends ProxyFlags {
  /** Removes the users of Roost from this proxy. */
  readonly endUsers?: boolean
}

export interface StorageFlags extends PrepareFlags {
  /** Also restarts the servers, which then read their changed configuration. */
  readonly restartServers?: boolean
}

export interface UninstallFlags extends LeaveFlags, ProxyLeaveFlags, StorageFlags {}

export interface RunFlags extends GlobalFlags {
  readonly server?: string
  readonly log?: 'json' | 'pretty'
  readonly logLevel: 'debug' | 'info' | 'warn' | 'error'
}

export interface PrintFlags extends GlobalFlags {
  readonly output: 'table' | 'json'
}

export interface BundleFlags extends GlobalFlags {
  readonly file?: string
}

export interface RenderFlags extends PrintFlags {
  readonly desired: string
  readonly backend?: 'kernel' | 'ganesha'
  readonly generation: number
  readonly check?: boolean
}
