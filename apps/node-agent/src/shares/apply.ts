import { errorText } from '@roost/runtime'
import type { Outcome, ReportProgress } from '../deployments/applier.js'
import type { GatewayState as DesiredGateway, MissingShare, Mounts, SettledMounts } from '../mounts/desired/mounts.js'
import type { Deployment } from './deployment.js'
import type { Gateway } from './gateway.js'
import { labelOf, shareProtocols } from './index.js'
import { describeMissing } from './missing-shares.js'
import { onTheWayBack, ProtocolDeployment } from './protocol-deployment.js'

/**
 * Makes the servers serve these shares. The files are staged, checked by each server, moved to their paths and loaded; then
 * the result is checked. A protocol that fails is left, or put back, as it was; the other one continues. A share that cannot be mounted is left out, which is an
 * incomplete deployment. Killed at any moment, it is called again with the same generation and goes on.
 */
export async function applyGateway(
  gateway: Gateway,
  desired: DesiredGateway,
  generation: number,
  progress: ReportProgress,
): Promise<Outcome> {
  const { state } = gateway
  const [inForce, journal] = [await state.readInForce(), await state.readJournal()]
  const deployment: Deployment = {
    gateway,
    desired,
    missing: [],
    generation,
    generationBefore: inForce.generation,
    inForce,
    journal,
  }
  const parts = shareProtocols.map((protocol) => new ProtocolDeployment(deployment, protocol))
  for (const part of parts) await part.attempt(() => part.prepare())
  if (anyGoes(parts)) {
    progress('planned')
    await leaveOut(deployment, parts, await startMounts(deployment, parts))
  }
  for (const part of parts) await part.attempt(() => part.stage())
  for (const part of parts) await part.attempt(() => part.check())
  if (anyGoes(parts)) progress('staged')
  for (const [i, part] of parts.entries()) {
    const completes = i === parts.length - 1 && failedOf(parts).length === 0 && isComplete(deployment)
    await part.attempt(() => part.activate(completes))
    if (part.fault !== undefined) await part.rollBack()
  }
  return end(deployment, parts)
}

/** Says whether at least one of the protocols involved has not failed. */
function anyGoes(parts: readonly ProtocolDeployment[]): boolean {
  return failedOf(parts).length === 0 || parts.some(({ isInvolved, fault }) => isInvolved && fault === undefined)
}

function failedOf(parts: readonly ProtocolDeployment[]): readonly ProtocolDeployment[] {
  return parts.filter(({ fault }) => fault !== undefined)
}

/** Where none can be had, no protocol goes on: behind all of them is the same storage. */
async function startMounts(
  { gateway, desired }: Deployment,
  parts: readonly ProtocolDeployment[],
): Promise<readonly MissingShare[]> {
  try {
    return await gateway.mounts.start(desired, await foldersOf(failedOf(parts)))
  } catch (error) {
    for (const part of parts) part.fail(error)
    return []
  }
}

/** A share without its mount would be exported over the bare folder. */
async function leaveOut(
  deployment: Deployment,
  parts: readonly ProtocolDeployment[],
  missing: readonly MissingShare[],
): Promise<void> {
  if (missing.length === 0) return
  deployment.missing = missing
  for (const part of parts) await part.attempt(() => part.prepare())
}

function isComplete({ missing }: Deployment): boolean {
  return missing.length === 0
}

async function foldersOf(parts: readonly ProtocolDeployment[]): Promise<ReadonlySet<string>> {
  const folders: string[] = []
  for (const part of parts) folders.push(...(await part.folders()))
  return new Set(folders)
}

async function end(deployment: Deployment, parts: readonly ProtocolDeployment[]): Promise<Outcome> {
  const { gateway, inForce } = deployment
  const failed = failedOf(parts)
  const done = parts.filter(({ fault }) => fault === undefined)
  const files = done.flatMap((part) => part.files())
  if (failed.length === 0) return settledOutcome(deployment, files)
  const outcome = failed.some(({ isTouched }) => isTouched) ? 'rolled_back' : 'failed'
  const { generation: in_force } = inForce
  if (!anyGoes(parts)) {
    const message = `${reasonOf(failed)}${onTheWayBack(await abandoned(gateway.mounts))}`
    return { outcome, in_force, message, files: [] }
  }
  const deployed = done
    .filter(({ isInvolved }) => isInvolved)
    .map(({ protocol }) => `${labelOf(protocol)} is deployed.`)
  const { missing, notes } = await settled(gateway.mounts, await foldersOf(failed))
  const left = describeMissing(deployment.desired, [...deployment.missing, ...missing])
  const message = [...failed.map(labelled), ...deployed, ...left, ...notes].join(' ')
  return { outcome, in_force, message, files, partly: true }
}

/** Returns the outcome of a deployment of which no protocol failed. */
async function settledOutcome(deployment: Deployment, files: Outcome['files']): Promise<Outcome> {
  const { gateway, desired, generation, generationBefore: before } = deployment
  const { missing, notes } = await settled(gateway.mounts)
  const left = describeMissing(desired, [...deployment.missing, ...missing])
  const message = [...left, ...notes].join(' ')
  if (left.length === 0) return { outcome: 'applied', in_force: generation, message, files }
  if (isComplete(deployment)) await gateway.state.writeInForce({ ...deployment.inForce, generation: before }, new Map())
  return { outcome: 'failed', in_force: before, message, files, partly: true, isIncomplete: true }
}

/** Returns the reason of the failed protocol, or the reasons of several by their names. */
function reasonOf(failed: readonly ProtocolDeployment[]): string {
  const involved = failed.filter(({ isInvolved }) => isInvolved)
  const [reason, ...others] = new Set(involved.map(({ fault }) => fault))
  return others.length === 0 && reason !== undefined ? reason : involved.map(labelled).join(' ')
}

function labelled({ protocol, fault = '' }: ProtocolDeployment): string {
  return `${labelOf(protocol)} could not be deployed: ${fault}${/[.!?]$/.test(fault) ? '' : '.'}`
}

/** Completes what the mounts began. Those of the folders in `behind` are as they were. */
async function settled(mounts: Mounts, behind: ReadonlySet<string> = new Set()): Promise<SettledMounts> {
  try {
    if (behind.size > 0) await mounts.keepUnchanged(behind)
    return await mounts.settle()
  } catch (error) {
    return { missing: [], notes: [errorText(error)] }
  }
}

/** Puts the mounts back, and returns the errors of that. */
async function abandoned(mounts: Mounts): Promise<readonly string[]> {
  return mounts.abandon().then(
    () => [],
    (error: unknown) => [errorText(error)],
  )
}
