import { homedir } from 'node:os'
import { isIPv6 } from 'node:net'
import { join, resolve } from 'node:path'
import { isInSubnet, isIpv4 } from '@roost/api-types/rest'
import { ConfigError, readSystemdOptions, type SystemdOptions } from '@roost/runtime'
import { z } from 'zod'
import { HeartbeatUrl } from './config/heartbeat-url.js'
import { NetworkList } from './config/networks.js'
import type { Networks } from './config/networks.js'
import { ProxyList } from './config/proxies.js'
import type { Proxies } from './config/proxies.js'
import { AbsolutePath, Gigabytes, HistoryDays, RawHours, WriteUrl } from './config/history.js'
import type { HistoryConfig, RemoteWriteConfig } from './config/history.js'
import { mostSimilar } from './config/similar-names.js'

export type TlsConfig =
  | { readonly mode: 'auto' }
  | { readonly mode: 'files'; readonly cert: string; readonly key: string }
  | { readonly mode: 'off' }

export interface CallOptions {
  /** Writes are only checked. */
  readonly validateOnly: boolean
  /** Undefined: as long as the connection lasts. */
  readonly timeoutMs: number | undefined
}

export interface Config extends SystemdOptions {
  /** Absolute. */
  readonly dataDir: string
  readonly listen: { readonly host: string; readonly port: number }
  /** Null: derived from the listen address. */
  readonly publicUrl: string | null
  readonly tls: TlsConfig
  /** The proxies in front, one of which may terminate TLS. */
  readonly proxies: Proxies
  /** Null: the embedded PostgreSQL. */
  readonly databaseUrl: string | null
  /** Retention of usage by half-hour. */
  readonly usageRetentionDays: number
  /** Retention of audit events. */
  readonly auditRetentionDays: number
  /** Retention of deployments after their end. */
  readonly jobRetentionDays: number
  readonly history: HistoryConfig
  /** Networks beyond the internet that alerts may be sent to. */
  readonly alertNetworks: Networks
  /** The URL that is called each minute while alerts are evaluated; null: none. */
  readonly heartbeatUrl: string | null
  /** The server that gets the history by remote_write; null: there is none. */
  readonly remoteWrite: RemoteWriteConfig | null
  /** Retention of answers to requests with an `Idempotency-Key`. */
  readonly idempotencyRetentionHours: number
  readonly logLevel: z.infer<typeof LogLevel>
  /** The credentials `name:key` of the command line; null: those in the data directory. */
  readonly apiKey: string | null
  /** The control plane that the command line calls; null: the one on the data directory. */
  readonly url: string | null
  /** The absolute path of the authority that the command line trusts; null: the one in the data directory. */
  readonly ca: string | null
  /**
   * Which context of `roost login` the command line uses: one by its name, the current one, or none because the variables
   * name another control plane.
   */
  readonly context: { readonly name: string } | 'current' | 'none'
  /** How the command line calls the API: by its options alone, never by variables. */
  readonly call?: CallOptions
  /** Timeout of a node in a deployment. */
  readonly deploymentTimeoutMs: number
  /** How long a start waits for another control plane to leave the database. */
  readonly lockWaitMs: number
  /** The shell command that copies a backup off this machine, for the backup's unit; null: there is none. */
  readonly backupCopy: string | null
}

const LogLevel = z.enum(['debug', 'info', 'warn', 'error'], { error: 'must be debug, info, warn or error' })

const Days = z
  .string()
  .regex(/^[1-9]\d{0,4}$/, { error: 'must be a number of days, 1 to 99999' })
  .transform(Number)

/** The API guarantees at least a day. */
const Hours = z.string().transform((text, context) => {
  const hours = /^\d{1,4}$/.test(text) ? Number(text) : 0
  if (hours >= 24) return hours
  context.addIssue('must be a number of hours, 24 to 9999')
  return z.NEVER
})

const Listen = z.string().transform((text, context) => {
  const [, host = '', port = ''] = /^(\[[^\]]+\]|[^:[\]]+):(\d{1,5})$/.exec(text) ?? []
  const bare = host.replace(/^\[(.*)\]$/, '$1')
  if (bare !== '' && Number(port) <= 65_535 && (bare === host || isIPv6(bare)))
    return { host: bare, port: Number(port) }
  context.addIssue('must be HOST:PORT, such as 127.0.0.1:8443, 0.0.0.0:8443 or [::1]:8443')
  return z.NEVER
})

const Origin = z.string().transform((text, context) => {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url && /^https?:$/.test(url.protocol) && url.href === `${url.origin}/`) return url.origin
  context.addIssue('must be a URL without a path, such as https://roost.example:8443')
  return z.NEVER
})

const DatabaseUrl = z.string().refine((text) => URL.canParse(text) && /^postgres(ql)?:$/.test(new URL(text).protocol), {
  error: 'must be a URL such as postgresql://user:password@host:5432/roost',
})

const Seconds = z.string().transform((text, context) => {
  const seconds = /^\d{1,5}$/.test(text) ? Number(text) : 0
  if (seconds > 0 && seconds <= 86_400) return seconds
  context.addIssue('must be whole seconds, from 1 to 86400')
  return z.NEVER
})

const LockWait = z.string().transform((text, context) => {
  if (/^\d{1,4}$/.test(text) && Number(text) <= 3_600) return Number(text)
  context.addIssue('must be whole seconds, from 0 to 3600')
  return z.NEVER
})

/** Each variable with its rule. An optional variable that is missing is null. */
const variables = {
  ROOST_DATA_DIR: z
    .string()
    .default(defaultDataDir)
    .transform((path) => resolve(path)),
  ROOST_LISTEN: Listen.prefault('127.0.0.1:8443'),
  ROOST_PUBLIC_URL: Origin.nullable().default(null),
  ROOST_TLS: z.enum(['auto', 'files', 'off'], { error: 'must be auto, files or off' }).default('auto'),
  ROOST_TLS_CERT: z.string().nullable().default(null),
  ROOST_TLS_KEY: z.string().nullable().default(null),
  ROOST_BEHIND_PROXY: ProxyList.prefault('0'),
  DATABASE_URL: DatabaseUrl.nullable().default(null),
  ROOST_USAGE_RETENTION_DAYS: Days.prefault('397'),
  ROOST_AUDIT_RETENTION_DAYS: Days.prefault('400'),
  ROOST_JOB_RETENTION_DAYS: Days.prefault('90'),
  ROOST_HISTORY: z.enum(['on', 'off'], { error: 'must be on or off' }).default('on'),
  ROOST_HISTORY_RAW_HOURS: RawHours.prefault('48'),
  ROOST_HISTORY_5MIN_DAYS: HistoryDays.prefault('60'),
  ROOST_HISTORY_HOUR_DAYS: HistoryDays.prefault('800'),
  ROOST_HISTORY_MAX_GB: Gigabytes.prefault('20'),
  ROOST_ALERT_NETWORKS: NetworkList.nullable().default(null),
  ROOST_HEARTBEAT_URL: HeartbeatUrl.nullable().default(null),
  ROOST_REMOTE_WRITE_URL: WriteUrl.nullable().default(null),
  ROOST_REMOTE_WRITE_CREDENTIALS_FILE: AbsolutePath.nullable().default(null),
  ROOST_REMOTE_WRITE_CA_FILE: AbsolutePath.nullable().default(null),
  ROOST_IDEMPOTENCY_RETENTION_HOURS: Hours.prefault('24'),
  ROOST_LOG_LEVEL: LogLevel.default('info'),
  ROOST_API_KEY: z
    .string()
    .regex(/^[^:]+:\S+$/, { error: 'must be NAME:KEY, as in the file admin.apikey' })
    .nullable()
    .default(null),
  ROOST_URL: Origin.nullable().default(null),
  ROOST_CA: z
    .string()
    .transform((path) => resolve(path))
    .nullable()
    .default(null),
  ROOST_CONTEXT: z.string().nullable().default(null),
  ROOST_DEPLOYMENT_TIMEOUT: Seconds.default(600),
  ROOST_LOCK_WAIT: LockWait.default(30),
  ROOST_BACKUP_COPY: z.string().nullable().default(null),
}
export type Variable = keyof typeof variables
type Values = { readonly [Name in keyof typeof variables]: z.infer<(typeof variables)[Name]> }

/** Reads the environment. Throws ConfigError with every fault at once. */
export function readConfig(env: NodeJS.ProcessEnv = process.env): Config {
  // An empty variable counts as not set, as in a systemd EnvironmentFile.
  const given = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ''))
  const faults = unknownVariables(given)
  const parsed = Object.entries(variables).map(([name, rule]) => {
    const result = rule.safeParse(given[name])
    if (!result.success) faults.push(...result.error.issues.map((issue) => `${name} ${issue.message}.`))
    return [name, result.data]
  })
  const values = Object.fromEntries(parsed) as Values
  const config: Config = {
    dataDir: values.ROOST_DATA_DIR,
    listen: values.ROOST_LISTEN,
    publicUrl: values.ROOST_PUBLIC_URL,
    tls: tlsConfig(values, faults),
    proxies: values.ROOST_BEHIND_PROXY,
    databaseUrl: values.DATABASE_URL,
    usageRetentionDays: values.ROOST_USAGE_RETENTION_DAYS,
    auditRetentionDays: values.ROOST_AUDIT_RETENTION_DAYS,
    jobRetentionDays: values.ROOST_JOB_RETENTION_DAYS,
    history: {
      isOn: values.ROOST_HISTORY === 'on',
      rawHours: values.ROOST_HISTORY_RAW_HOURS,
      fiveMinutesDays: values.ROOST_HISTORY_5MIN_DAYS,
      hourDays: values.ROOST_HISTORY_HOUR_DAYS,
      maxGigabytes: values.ROOST_HISTORY_MAX_GB,
    },
    alertNetworks: values.ROOST_ALERT_NETWORKS ?? [],
    heartbeatUrl: values.ROOST_HEARTBEAT_URL,
    remoteWrite: remoteWriteOf(values),
    idempotencyRetentionHours: values.ROOST_IDEMPOTENCY_RETENTION_HOURS,
    logLevel: values.ROOST_LOG_LEVEL,
    apiKey: values.ROOST_API_KEY,
    url: values.ROOST_URL,
    ca: values.ROOST_CA,
    context: contextOf(values, given),
    deploymentTimeoutMs: values.ROOST_DEPLOYMENT_TIMEOUT * 1000,
    lockWaitMs: values.ROOST_LOCK_WAIT * 1000,
    backupCopy: values.ROOST_BACKUP_COPY,
    ...readSystemdOptions(env),
  }
  // Rules over several variables need valid variables.
  if (faults.length === 0) faults.push(...transportFaults(config))
  if (faults.length > 0) throw new ConfigError(faults)
  return config
}

/** Variables that name a control plane are stronger than the current context, which another shell may have set. */
function contextOf({ ROOST_CONTEXT: name }: Values, given: NodeJS.ProcessEnv): Config['context'] {
  if (name !== null) return { name }
  return given['ROOST_URL'] === undefined && given['ROOST_DATA_DIR'] === undefined ? 'current' : 'none'
}

/** Returns the names of the variables of Roost that are set. */
export function setVariables(env: NodeJS.ProcessEnv = process.env): readonly string[] {
  return Object.keys(variables).filter((name) => (env[name] ?? '') !== '')
}

function transportFaults({ tls, listen, proxies, publicUrl }: Config): string[] {
  const faults: string[] = []
  if (tls.mode === 'off' && proxies.length === 0 && !isLoopback(listen.host))
    faults.push(
      `ROOST_TLS=off would send keys unencrypted on ${listen.host}. Listen on loopback, or set ROOST_BEHIND_PROXY to the address of the proxy that terminates TLS.`,
    )
  if (tls.mode !== 'off' && publicUrl?.startsWith('http:'))
    faults.push('ROOST_PUBLIC_URL must begin with https:// unless ROOST_TLS is off.')
  return faults
}

/** Returns true if only this machine can reach the address. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIpv4(host) && isInSubnet(host, '127.0.0.0', 8))
}

function unknownVariables(env: NodeJS.ProcessEnv): string[] {
  const known = Object.keys(variables)
  return Object.keys(env)
    .filter((name) => /^ROOST_(?!AGENT_|TEST_)/.test(name) && !known.includes(name))
    .map((name) => {
      const similar = mostSimilar(name, known)
      const hint = similar === undefined ? '' : ` Did you mean ${similar}?`
      return `Unknown variable ${name}.${hint} Known variables: ${known.join(', ')}.`
    })
}

function tlsConfig(values: Values, faults: string[]): TlsConfig {
  const { ROOST_TLS: mode, ROOST_TLS_CERT: cert, ROOST_TLS_KEY: key } = values
  if (mode !== 'files') {
    if (cert !== null || key !== null)
      faults.push(
        'ROOST_TLS_CERT and ROOST_TLS_KEY need ROOST_TLS=files. Set ROOST_TLS=files, or remove both variables.',
      )
    return { mode }
  }
  if (cert === null || key === null)
    faults.push('ROOST_TLS=files needs ROOST_TLS_CERT and ROOST_TLS_KEY, the paths of two PEM files.')
  return { mode, cert: resolve(cert ?? ''), key: resolve(key ?? '') }
}

function defaultDataDir(): string {
  return process.getuid?.() === 0 ? '/var/lib/roost' : join(homedir(), '.local/share/roost')
}

function remoteWriteOf(values: Values): RemoteWriteConfig | null {
  const { ROOST_REMOTE_WRITE_URL: url, ROOST_REMOTE_WRITE_CREDENTIALS_FILE: credentialsFile } = values
  return url === null ? null : { url, credentialsFile, caFile: values.ROOST_REMOTE_WRITE_CA_FILE }
}
