import type { Outcome, ReportProgress } from '../deployments/applier.js'
import type { GatewayState as DesiredGateway, Mounts } from '../mounts/mounts.js'
import type { Gateway } from './gateway.js'
import { labelOf, shareProtocols } from './index.js'
import { type Deployment, onTheWayBack, ProtocolPart, sentence } from './protocol-part.js'

/**
 * Makes the servers serve these shares: staged, read by each server, placed, told, seen. A protocol of which something
 * fails stays, or is put back, as it was; the other one goes on. Killed at any moment, it is called again with the same
 * generation and goes on.
 */
export async function applyGateway(
  gateway: Gateway,
  desired: DesiredGateway,
  generation: number,
  progress: ReportProgress,
): Promise<Outcome> {
  const { state } = gateway
  const [inForce, journal] = [await state.readInForce(), await state.readJournal()]
  const deployment: Deployment = { gateway, desired, generation, inForce, journal }
  const parts = shareProtocols.map((protocol) => new ProtocolPart(deployment, protocol))
  for (const part of parts) await part.attempt(() => part.prepare())
  if (anyGoes(parts)) {
    progress('planned')
    await startMounts(deployment, parts)
  }
  for (const part of parts) await part.attempt(() => part.stage())
  for (const part of parts) await part.attempt(() => part.check())
  if (anyGoes(parts)) progress('staged')
  for (const [i, part] of parts.entries()) {
    const completes = i === parts.length - 1 && failedOf(parts).length === 0
    await part.attempt(() => part.take(completes))
    if (part.fault !== undefined) await part.rollBack()
  }
  return end(deployment, parts)
}

/** Of the protocols that it has something to do with, one at least has not failed. */
function anyGoes(parts: readonly ProtocolPart[]): boolean {
  return failedOf(parts).length === 0 || parts.some(({ isInvolved, fault }) => isInvolved && fault === undefined)
}

function failedOf(parts: readonly ProtocolPart[]): readonly ProtocolPart[] {
  return parts.filter(({ fault }) => fault !== undefined)
}

/** Where one cannot be had, no protocol goes on: behind all of them is the same storage. */
async function startMounts({ gateway, desired }: Deployment, parts: readonly ProtocolPart[]): Promise<void> {
  try {
    await gateway.mounts.start(desired, await foldersOf(failedOf(parts)))
  } catch (error) {
    for (const part of parts) part.fail(error)
  }
}

async function foldersOf(parts: readonly ProtocolPart[]): Promise<ReadonlySet<string>> {
  const folders: string[] = []
  for (const part of parts) folders.push(...(await part.folders()))
  return new Set(folders)
}

async function end({ gateway, generation, inForce }: Deployment, parts: readonly ProtocolPart[]): Promise<Outcome> {
  const failed = failedOf(parts)
  const done = parts.filter(({ fault }) => fault === undefined)
  const files = done.flatMap((part) => part.files())
  if (failed.length === 0)
    return { outcome: 'applied', in_force: generation, message: (await settled(gateway.mounts)).join(' '), files }
  const outcome = failed.some(({ isTouched }) => isTouched) ? 'rolled_back' : 'failed'
  const { generation: in_force } = inForce
  if (!anyGoes(parts)) {
    const message = `${reasonOf(failed)}${onTheWayBack(await abandoned(gateway.mounts))}`
    return { outcome, in_force, message, files: [] }
  }
  const deployed = done
    .filter(({ isInvolved }) => isInvolved)
    .map(({ protocol }) => `${labelOf(protocol)} is deployed.`)
  const notes = await settled(gateway.mounts, await foldersOf(failed))
  const message = [...failed.map(labelled), ...deployed, ...notes].join(' ')
  return { outcome, in_force, message, files: [...files], partly: true }
}

/** What one part says, or each of several by its name. */
function reasonOf(failed: readonly ProtocolPart[]): string {
  const involved = failed.filter(({ isInvolved }) => isInvolved)
  const [reason, ...others] = new Set(involved.map(({ fault }) => fault))
  return others.length === 0 && reason !== undefined ? reason : involved.map(labelled).join(' ')
}

function labelled({ protocol, fault = '' }: ProtocolPart): string {
  return `${labelOf(protocol)} could not be deployed: ${fault}${/[.!?]$/.test(fault) ? '' : '.'}`
}

/** What an operator should know of the mounts. Those of the folders in `behind` are as they were. */
async function settled(mounts: Mounts, behind: ReadonlySet<string> = new Set()): Promise<readonly string[]> {
  try {
    if (behind.size > 0) await mounts.holdBack(behind)
    return await mounts.settle()
  } catch (error) {
    return [sentence(error)]
  }
}

/** What kept the mounts from being as they were. */
async function abandoned(mounts: Mounts): Promise<readonly string[]> {
  return mounts.abandon().then(
    () => [],
    (error: unknown) => [sentence(error)],
  )
}
