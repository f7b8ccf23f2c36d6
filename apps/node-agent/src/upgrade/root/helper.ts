import { existsSync } from 'node:fs'
import { chmod, mkdir, readdir, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { type Clock, errorText, type Log } from '@roost/runtime'
import { removeManagedFile, writeManagedFile } from '../../machine/managed-file.js'
import { readManagedRecord } from '../../machine/managed-record.js'
import type { Installation } from '../installation.js'
import { refusalOf, type UpgradeSettings } from '../permission.js'
import { keptName, UnderWay, type UpgradePaths, type UpgradeRequest, type UpgradeResult } from '../upgrade-files.js'
import type { PackageManager } from './package-managers.js'
import { acceptPackage, acceptRequest, readReport, requireSpace } from './received-files.js'

export interface HelperOptions {
  readonly paths: UpgradePaths
  readonly installation: Installation
  readonly settings: UpgradeSettings
  readonly manager: PackageManager
  /** The disk that the package is installed on. */
  readonly disk: string
  /** Returns in a sentence why the agent does not report, as far as the machine knows. */
  readonly explainSilence: () => Promise<string>
  readonly clock: Clock
  readonly log: Log
}

const agentPackage = 'roost-agent'
/** The time in which a new version must report. */
const reportMs = 120_000
const pollMs = 1_000

/** Accepts one request of the agent, or continues the upgrade during which this program was stopped. */
export async function runHelper(options: HelperOptions): Promise<void> {
  const { paths, log } = options
  await mkdir(paths.helper, { recursive: true, mode: 0o755 })
  await chmod(paths.helper, 0o755)
  const interrupted = await readManagedRecord(paths.underWay, UnderWay)
  if (interrupted !== undefined) return resume(options, interrupted)
  const request = await acceptRequest(paths)
  if (request === undefined) return
  try {
    await accept(options, request)
  } catch (error) {
    log.error('refused an upgrade', { version: request.version, error })
    await end(options, request, { state: 'refused', message: errorText(error) }, [options.installation.version])
    return
  }
  await install(options, {
    upgrade: request.upgrade,
    version: request.version,
    former: options.installation.version,
    phase: 'installing',
    reason: '',
  })
}

/** Checks the packages and keeps both where only root can write. Throws with the reason to refuse them. */
async function accept(options: HelperOptions, request: UpgradeRequest): Promise<void> {
  const { paths, installation, settings, disk } = options
  const refusal = refusalOf(settings, installation.version, request.version)
  if (refusal !== undefined) throw new Error(refusal)
  if (request.version === installation.version) throw new Error(`Version ${request.version} is installed already.`)
  await rm(paths.next, { recursive: true, force: true })
  const next = await acceptPackage(paths, request.package, installation)
  await requireSpace(disk, (await stat(next)).size)
  await requireAgent(options, next, request.version)
  const kept = keptPath(options, installation.version)
  if (request.former !== null)
    await keep(options, await acceptPackage(paths, request.former, installation), installation.version)
  if (!existsSync(kept))
    throw new Error(`The package of version ${installation.version} is not kept, so the node could not return to it.`)
  await requireAgent(options, kept, installation.version)
  await keep(options, next, request.version)
}

/** Throws unless a file is the package of this version of the agent, for this machine. */
async function requireAgent({ manager, installation }: HelperOptions, file: string, version: string): Promise<void> {
  const found = await manager.describe(file)
  const isAgent = found.name === agentPackage && found.version === version
  if (isAgent && (found.arch === null || found.arch === installation.arch)) return
  const description = [found.name, found.version, found.arch].filter((part) => part !== null).join(' ')
  throw new Error(`The package is ${description}, not ${agentPackage} ${version} ${installation.arch}.`)
}

function keptPath({ paths, installation }: HelperOptions, version: string): string {
  return join(paths.kept, keptName(version, installation.format))
}

async function keep(options: HelperOptions, file: string, version: string): Promise<void> {
  await mkdir(options.paths.kept, { recursive: true, mode: 0o755 })
  await rename(file, keptPath(options, version))
}

async function install(options: HelperOptions, underWay: UnderWay): Promise<void> {
  const { log, manager } = options
  await record(options, underWay)
  log.info('installing', { version: underWay.version, former: underWay.former })
  const fault = await faultOf(manager.install(keptPath(options, underWay.version)))
  if (fault !== undefined)
    return goBack(options, underWay, `Version ${underWay.version} could not be installed: ${fault}`)
  await record(options, { ...underWay, phase: 'watching' })
  await watch(options, underWay)
}

async function watch(options: HelperOptions, underWay: UnderWay): Promise<void> {
  const { upgrade, version, former } = underWay
  if (await hasReported(options, upgrade, version))
    return end(options, underWay, { state: 'installed', message: '' }, [former, version])
  const seconds = reportMs / 1_000
  const silence = `Version ${version} did not report within ${seconds} seconds.`
  options.log.error('the new version does not report, returning to the former one', { version, former })
  await goBack(options, underWay, `${silence} ${await options.explainSilence()}`.trim())
}

/** Installs the former version again. */
async function goBack(options: HelperOptions, underWay: UnderWay, reason: string): Promise<void> {
  const { upgrade, former } = underWay
  await record(options, { ...underWay, phase: 'returning', reason })
  const fault = await faultOf(options.manager.install(keptPath(options, former)))
  if (fault !== undefined) {
    const message = `${reason} Version ${former} could not be installed again: ${fault} Install it by hand.`
    return end(options, underWay, { state: 'failed', message }, [former])
  }
  const isBack = await hasReported(options, upgrade, former)
  const message = isBack ? `${reason} Version ${former} runs again.` : `${reason} Version ${former} is installed again.`
  await end(options, underWay, { state: 'returned', message }, [former])
}

function resume(options: HelperOptions, underWay: UnderWay): Promise<void> {
  options.log.warn('continuing an upgrade that was interrupted', { ...underWay })
  if (underWay.phase === 'watching') return watch(options, underWay)
  return goBack(
    options,
    underWay,
    underWay.reason || `The installation of version ${underWay.version} was interrupted.`,
  )
}

async function hasReported({ paths, clock }: HelperOptions, upgrade: string, version: string): Promise<boolean> {
  for (const until = clock.monotonic() + reportMs; ;) {
    const report = await readReport(paths)
    if (report?.upgrade === upgrade && report.version === version) return true
    if (clock.monotonic() >= until) return false
    await new Promise<void>((resolve) => clock.after(pollMs, resolve))
  }
}

function record({ paths }: HelperOptions, underWay: UnderWay): Promise<void> {
  return writeManagedFile(paths.underWay, JSON.stringify(underWay), 0o644)
}

/** Writes the result, and removes the packages of all versions but these. */
async function end(
  options: HelperOptions,
  { upgrade, version }: Pick<UpgradeRequest, 'upgrade' | 'version'>,
  { state, message }: Pick<UpgradeResult, 'state' | 'message'>,
  versions: readonly string[],
): Promise<void> {
  const { paths, installation, log } = options
  await writeManagedFile(paths.result, JSON.stringify({ upgrade, version, state, message }), 0o644)
  await removeManagedFile(paths.underWay)
  await rm(paths.next, { recursive: true, force: true })
  const needed = new Set(versions.map((one) => keptName(one, installation.format)))
  const kept = await readdir(paths.kept).catch(() => [])
  for (const name of kept) if (!needed.has(name)) await rm(join(paths.kept, name), { force: true })
  log.info('upgrade ended', { version, state, reason: message })
}

async function faultOf(work: Promise<void>): Promise<string | undefined> {
  try {
    await work
    return undefined
  } catch (error) {
    return `${errorText(error).replace(/\.$/, '')}.`
  }
}
