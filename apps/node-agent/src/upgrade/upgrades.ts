import { mkdir, readFile, rm, stat } from 'node:fs/promises'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { upgradeCapability } from '@roost/api-types/agent'
import type { AgentPackage, AgentUpgrade, AgentUpgradeProgress } from '@roost/api-types/agent'
import { type Clock, errorText, type Log } from '@roost/runtime'
import { downloadPackage } from './download.js'
import { type Installation, requireSignature } from './installation.js'
import { refusalOf, type UpgradeSettings } from './permission.js'
import { keptName, upgradeFiles, type UpgradePaths } from './upgrade-files.js'

export interface UpgradesOptions {
  /** Undefined: this program was not installed from a package. */
  readonly installation: Installation | undefined
  readonly settings: UpgradeSettings
  readonly paths: UpgradePaths
  /** The address of the control plane. */
  readonly server: string
  readonly readAuthorities: () => Promise<readonly string[]>
  readonly clock: Pick<Clock, 'now'>
  readonly log: Log
}

/** The agent's part of its own upgrade. The root helper installs what this part has downloaded and checked. */
export interface Upgrades {
  /** What the hello says of it. */
  readonly capabilities: readonly string[]
  /** Starts or continues an upgrade, and returns how far it is. */
  advance(wanted: AgentUpgrade, isDeploying: boolean): Promise<AgentUpgradeProgress>
  /** Shows the root helper that this version has a session. */
  connected(): Promise<void>
  stop(): Promise<void>
}

/** After this time without the root helper, its unit does not run. */
const unansweredMs = 60_000

const notInstalled = {
  state: 'refused',
  message: 'This agent was not installed from a package of Roost. Install the package on the node by hand once.',
} as const
const installing = { state: 'installing', message: '' } as const

interface Download {
  readonly upgrade: string
  progress: AgentUpgradeProgress
  readonly ended: Promise<void>
}

export function createUpgrades(options: UpgradesOptions): Upgrades {
  const { installation, settings, paths, log } = options
  const files = upgradeFiles(paths)
  const stopping = new AbortController()
  let download: Download | null = null

  const begin = (wanted: AgentUpgrade, installed: Installation): AgentUpgradeProgress => {
    const progress: AgentUpgradeProgress = { state: 'downloading', message: '' }
    const report = (message: string) => (progress.message = message)
    const ended = prepare(options, installed, wanted, { report, signal: stopping.signal }).then(
      () => log.info('asked the root helper for an upgrade', { version: wanted.version }),
      (error: unknown) => {
        Object.assign(progress, { state: 'refused', message: errorText(error) })
        log.warn('could not prepare an upgrade', { version: wanted.version, error })
      },
    )
    download = { upgrade: wanted.upgrade, progress, ended }
    return progress
  }

  const proceed = (wanted: AgentUpgrade, installed: Installation, isDeploying: boolean): AgentUpgradeProgress => {
    if (download?.upgrade === wanted.upgrade) return { ...download.progress }
    if (isDeploying) return waiting('The upgrade begins after the deployment that is under way.')
    return { ...begin(wanted, installed) }
  }

  return {
    capabilities: installation !== undefined && settings.isAllowed ? [upgradeCapability] : [],
    async advance(wanted, isDeploying) {
      const known = await knownProgress(options, wanted)
      // What has failed for good is not begun again.
      if (known?.state === 'refused' && download?.upgrade === wanted.upgrade) Object.assign(download.progress, known)
      if (known !== undefined) return known
      if (installation === undefined) return notInstalled
      return nothingToDo(settings, installation, wanted) ?? proceed(wanted, installation, isDeploying)
    },
    async connected() {
      const underWay = await files.readUnderWay()
      if (underWay === undefined || installation === undefined) return
      await files.writeReport({ upgrade: underWay.upgrade, version: installation.version })
    },
    async stop() {
      stopping.abort()
      await download?.ended
    },
  }
}

/** Returns the end of an upgrade that is not begun; undefined for one that is. */
function nothingToDo(
  settings: UpgradeSettings,
  installed: Installation,
  { version }: AgentUpgrade,
): AgentUpgradeProgress | undefined {
  const refusal = refusalOf(settings, installed.version, version)
  if (refusal !== undefined) return { state: 'refused', message: refusal }
  if (installed.version === version) return { state: 'installed', message: 'The node has this version already.' }
  return undefined
}

function waiting(message: string): AgentUpgradeProgress {
  return { state: 'waiting', message }
}

/** Returns the progress that is on the disk. */
async function knownProgress(
  { paths, clock }: UpgradesOptions,
  { upgrade }: AgentUpgrade,
): Promise<AgentUpgradeProgress | undefined> {
  const files = upgradeFiles(paths)
  const result = await files.readResult()
  if (result?.upgrade === upgrade) return { state: result.state, message: result.message }
  const underWay = await files.readUnderWay()
  if (underWay !== undefined)
    return underWay.upgrade === upgrade ? installing : waiting('Another upgrade is being installed.')
  const request = await files.readRequest()
  if (request === undefined) return undefined
  const { mtimeMs } = await stat(paths.request)
  if (clock.now() - mtimeMs < unansweredMs)
    return request.upgrade === upgrade ? installing : waiting('Another upgrade is being installed.')
  await files.removeRequest()
  if (request.upgrade !== upgrade) return undefined
  return {
    state: 'refused',
    message:
      'The root helper of the agent did not start. Run `systemctl enable --now roost-agent-upgrade.path` on the node.',
  }
}

interface Preparation {
  readonly report: (message: string) => void
  readonly signal: AbortSignal
}

/** Downloads the package, and that of the installed version unless the helper has it, and writes the request. */
async function prepare(
  { paths, server, readAuthorities }: UpgradesOptions,
  installed: Installation,
  wanted: AgentUpgrade,
  { report, signal }: Preparation,
): Promise<void> {
  const authorities = await readAuthorities()
  await rm(paths.folder, { recursive: true, force: true })
  await mkdir(paths.folder, { recursive: true, mode: 0o700 })
  const fetchOne = async (one: AgentPackage) => {
    const path = join(paths.folder, one.name)
    const onProgress = (bytes: number) => report(`${one.name}: ${Math.floor((100 * bytes) / one.size_bytes)} %`)
    await downloadPackage({ server, authorities, package: one, path, onProgress, signal })
    await requireSignature(one.name, await readFile(path), one.signature, installed.releaseKey)
    return { name: one.name, sha256: one.sha256, signature: one.signature }
  }
  const next = packageOf(wanted, installed, wanted.version)
  if (next === undefined)
    throw new Error(
      `The control plane offers no ${describe(installed, wanted.version)}. Add it with \`roost packages add\`.`,
    )
  const former = isKept(paths, installed) ? undefined : formerOf(wanted, installed)
  const file = await fetchOne(next)
  await upgradeFiles(paths).writeRequest({
    upgrade: wanted.upgrade,
    version: wanted.version,
    package: file,
    former: former === undefined ? null : await fetchOne(former),
  })
}

function isKept({ kept }: UpgradePaths, { version, format }: Installation): boolean {
  return existsSync(join(kept, keptName(version, format)))
}

function formerOf(wanted: AgentUpgrade, installed: Installation): AgentPackage {
  const former = packageOf(wanted, installed, installed.version)
  if (former !== undefined) return former
  throw new Error(
    `Neither this node nor the control plane has the ${describe(installed, installed.version)}, to which a failed upgrade returns. Add it with \`roost packages add\`.`,
  )
}

function packageOf({ packages }: AgentUpgrade, { format, arch }: Installation, version: string) {
  return packages.find((one) => one.version === version && one.format === format && one.arch === arch)
}

function describe({ format, arch }: Installation, version: string): string {
  return `package roost-agent ${version} (${format}, ${arch})`
}
