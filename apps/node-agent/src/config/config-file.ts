import { readFileSync } from 'node:fs'
import { isIP } from 'node:net'
import { isAbsolute } from 'node:path'
import { forEachRole } from '@roost/api-types/agent'
import * as z from 'zod/mini'

const absolutePath = z.string().check(z.refine(isAbsolute, 'must be an absolute path'))
const address = z.string().check(z.refine((text) => isIP(text) !== 0, 'must be an IP address'))
const hostName = /^(?!-|[\d.]+$)[A-Za-z0-9_-]{1,63}(\.[A-Za-z0-9_-]{1,63})*$/
const addressOrName = z
  .string()
  .check(z.refine((text) => isIP(text) !== 0 || hostName.test(text), 'must be an IP address or a host name'))
const deviceName = z.string().check(z.regex(/^[^/\s]{1,64}$/, 'must be 1 to 64 characters without spaces or slashes'))
const policyName = z.string().check(z.regex(/^[A-Za-z0-9-]{1,64}$/, 'must be 1 to 64 letters, digits or hyphens'))
const accountName = z.string().check(z.regex(/^[a-z_][a-z0-9_-]{0,31}$/, 'must be the name of an account'))
// It stands in the configuration of every server of files: no sign in it needs to be encoded.
const plainFolder = z
  .string()
  .check(
    z.regex(
      /^(?:\/[A-Za-z0-9_-][A-Za-z0-9._-]*)+$/,
      'must be an absolute path of letters, digits, dots, hyphens and underscores',
    ),
  )
const flag = z.optional(z.boolean())
const integer = (least: number, most: number) =>
  z
    .number()
    .check(
      z.refine(
        (n) => Number.isInteger(n) && n >= least && n <= most,
        `must be a whole number from ${least} to ${most}`,
      ),
    )

const settings = {
  /** A prefix before every path of the machine that the agent reads. */
  root: z.optional(absolutePath),
  /** Roles that stand against what the agent detects; a flag that is left out stays detected. */
  roles: z.optional(z.strictObject(forEachRole(() => flag))),
  swift: z.optional(
    z.strictObject({
      directory: z.optional(absolutePath),
      /** Where the devices are mounted; without it the servers' configuration tells, else `/srv/node`. */
      devices_directory: z.optional(absolutePath),
      /** The addresses or names under which the rings know this node; without them its interfaces tell. */
      addresses: z.optional(z.array(addressOrName).check(z.minLength(1, 'must name at least one address'))),
      /** Where Swift's daemons keep what they say of their passes: `recon_cache_path` of their configuration. */
      recon_cache_directory: z.optional(absolutePath),
      /** How long a proxy may load its configuration at a deployment of users. */
      proxy_reload_seconds: z.optional(integer(10, 500)),
      /** How often `swift-dispersion-report` is run; without it never. */
      dispersion_hours: z.optional(integer(1, 168)),
    }),
  ),
  /** The statistics that Swift's servers send to `log_statsd_host` and `log_statsd_port`. */
  statsd: z.optional(
    z.strictObject({
      /** If it is absent, the agent listens where there is a `swift.conf`. */
      enabled: flag,
      address: z.optional(address),
      port: z.optional(integer(1, 65_535)),
      /** How many names of counters and timers are taken. */
      max_names: z.optional(integer(1, 5_000)),
    }),
  ),
  /** How a gateway serves shares. */
  gateway: z.optional(
    z.strictObject({
      /** Which server serves NFS; without it, the one that runs. */
      nfs: z.optional(z.enum(['kernel', 'ganesha'], 'must be "kernel" or "ganesha"')),
      /** `rclone`: the agent mounts the containers of shares. `operator`: the operator does. */
      mounts: z.optional(z.enum(['rclone', 'operator'], 'must be "rclone" or "operator"')),
      /** Holds a folder for each share, named by the share's id. */
      mount_directory: z.optional(plainFolder),
      /** Directory of the cache, with files that are not in Swift yet. By default it is below the state directory. */
      cache_directory: z.optional(absolutePath),
      /** Owns every file of every mount; the servers write by it. */
      account: z.optional(accountName),
    }),
  ),
  /** Usage of accounts: their storage, and what the proxy transfers for them. */
  usage: z.optional(
    z.strictObject({
      /** How often the databases of the accounts are read; a value is expected every ten minutes. */
      storage_interval_seconds: z.optional(integer(1, 600)),
      /** How often what the proxy moved is reported. */
      transfer_interval_seconds: z.optional(integer(1, 600)),
      /** The proxy's access log, as syslog writes it. */
      access_log: z.optional(absolutePath),
      /** Where the proxy's `access_log_udp_host` and `access_log_udp_port` lead to, instead of a file. */
      access_log_udp: z.optional(z.strictObject({ address: z.optional(address), port: integer(1, 65_535) })),
    }),
  ),
  /** `off`: the agent refuses upgrades that operators begin at the control plane. */
  upgrades: z.optional(z.enum(['on', 'off'], 'must be "on" or "off"')),
  /** The oldest version to which the agent may be upgraded or returned; without it the installed one. */
  upgrades_oldest: z.optional(z.string().check(z.regex(/^\d[\w.+~]{0,99}$/, 'must be a version, such as "0.2.0"'))),
  /** Names of the storage policies of a node without rings, by index; the first is the default. */
  policies: z.optional(z.array(policyName).check(z.minLength(1, 'must name at least one policy'))),
}

/** A place for data on a node without rings. Without `policies` it belongs to the first declared policy. */
const DeviceEntry = z.strictObject({
  name: deviceName,
  mount_point: absolutePath,
  policies: z.optional(z.array(policyName)),
})

/** `devices` is either a text or a list. Each has its own schema, so that an error in the list is named and not "invalid union". */
const WithAutomaticDevices = z.strictObject({
  ...settings,
  devices: z.literal('local-filesystems', 'must be "local-filesystems" or a list of devices'),
})
const WithDeviceList = z.strictObject({ ...settings, devices: z.optional(z.array(DeviceEntry)) })

export type ConfigFile = z.infer<typeof WithAutomaticDevices> | z.infer<typeof WithDeviceList>

/** Reads the agent's configuration file, and adds what is wrong with it to `faults`. No file is an empty one, unless it is required. */
export function readConfigFile(path: string, required: boolean, faults: string[]): ConfigFile {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    const remedy = code === 'EACCES' ? ' Run this command as root.' : ''
    if (code !== 'ENOENT' || required) faults.push(`The configuration file ${path} cannot be read (${code}).${remedy}`)
    return {}
  }
  try {
    return parseConfigFile(JSON.parse(text), path, faults)
  } catch (error) {
    faults.push(`The configuration file ${path} is not valid JSON: ${(error as Error).message}.`)
    return {}
  }
}

function parseConfigFile(json: unknown, path: string, faults: string[]): ConfigFile {
  const isAutomatic = typeof (json as { devices?: unknown } | null)?.devices === 'string'
  const result = (isAutomatic ? WithAutomaticDevices : WithDeviceList).safeParse(json)
  if (result.success) return result.data
  faults.push(...result.error.issues.map((issue) => `${path}: ${sentence(issue)}`))
  return {}
}

function sentence(issue: z.core.$ZodIssue): string {
  const where = issue.path.length === 0 ? 'the file' : issue.path.join('.')
  if (issue.code === 'unrecognized_keys') return `${where} has no setting ${issue.keys.join(', ')}.`
  if (issue.code === 'invalid_type') return `${where} must be of type ${issue.expected}.`
  return `${where} ${issue.message}.`
}
