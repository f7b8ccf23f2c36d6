import { join } from 'node:path'
import { startAgent } from '../agent.js'
import { type Clock, createLog, type Log, systemClock } from '@roost/runtime'
import { type AgentConfig, readConfig } from '../config.js'
import { openAppliers } from '../appliers.js'
import { type Context, openContext } from '../context.js'
import { createNotifier } from '../machine/notify.js'
import { runCommand } from '../machine/run-command.js'
import { type Identity, readIdentity, readMachineIds, retireIdentity } from '../machine/identity.js'
import { lockStateDirectory } from '../machine/state-lock.js'
import { TransferUsage } from '../swift/access-log/transfer-usage.js'
import type { UsageSources } from '../swift/usage-rounds.js'
import { createRestoredMounts } from '../mounts/health/restored-mounts.js'
import { CommandError, exitCodes } from './command-error.js'
import { serverUrl } from './server-url.js'
import type { RunFlags } from './program.js'

/** How long an orderly end may take. */
const endMs = 8000

/** The agent, until somebody ends it: a signal, the parent that started it with an IPC channel, or the control plane. */
export async function run(flags: RunFlags): Promise<number> {
  const config = readConfig(flags)
  // Whoever read our lines may be gone before we are.
  process.stdout.on('error', () => {})
  const log = createLog({
    format: flags.log ?? (process.stdout.isTTY ? 'pretty' : 'json'),
    level: flags.logLevel,
    write: (line) => process.stdout.write(line),
  })
  const identity = servedAt(await readEnrolled(config.dataDir), flags.server)
  const unlock = await lockStateDirectory(config.dataDir)
  try {
    return await serve(config, identity, log)
  } finally {
    unlock()
  }
}

async function serve(config: AgentConfig, identity: Identity, log: Log): Promise<number> {
  const clock = systemClock
  const { enrolment } = identity
  const notifier = createNotifier({
    socket: config.notifySocket,
    watchdogMs: config.watchdogMs,
    run: runCommand,
    clock,
    onFault: (message) => log.warn(message),
  })
  const context = openContext(config, clock, log)
  const restored = createRestoredMounts(clock)
  const opened = await openAppliers({ ...context, config, node: enrolment.node_uuid, restored, clock, log })
  const agent = await startAgent({
    dataDir: config.dataDir,
    identity,
    machine: readMachineIds(context.machine, identity),
    readings: context.readings,
    inventories: context.inventories,
    usage: await usageSources(config, context, clock, log),
    appliers: opened.appliers,
    requests: opened.requests,
    restored,
    onStatus: (status) => void notifier.status(status),
    clock,
    random: Math.random,
    log,
  })
  log.info('The agent runs.', { node: enrolment.node_id, server: enrolment.server, dataDir: config.dataDir })
  await notifier.ready()
  const end = await Promise.race([agent.ended, toldToStop(log)])
  await within(clock, endMs, async () => {
    await notifier.stopping()
    await agent.stop()
    await opened.close()
    await context.close()
  })
  if (end?.reason !== 'revoked') return exitCodes.ok
  await retireIdentity(config.dataDir)
  throw new CommandError(`An operator removed this node from ${enrolment.server}: ${end.message}`, {
    remedy: 'To bring it back, enrol it again with a new token: roost token create.',
    exitCode: exitCodes.removed,
  })
}

async function usageSources(
  { usage, dataDir }: AgentConfig,
  context: Context,
  clock: Clock,
  log: Log,
): Promise<UsageSources> {
  const { accessLog: source, ...intervals } = usage
  const located = source?.kind === 'file' ? { ...source, path: context.machine.path(source.path) } : source
  const dir = join(dataDir, 'usage')
  return {
    ...intervals,
    accounts: context.accounts,
    transfer: located && (await TransferUsage.open({ source: located, dir, clock, log })),
  }
}

async function readEnrolled(dataDir: string): Promise<Identity> {
  const identity = await readIdentity(dataDir)
  if (identity !== undefined) return identity
  throw new CommandError(`This machine is not enrolled: ${dataDir} holds no identity.`, {
    remedy: 'Make a token on the control plane with `roost token create`, and run the line that it prints.',
    exitCode: exitCodes.notEnrolled,
  })
}

/** The same node, at the address where its control plane is now. */
function servedAt(identity: Identity, server: string | undefined): Identity {
  if (server === undefined) return identity
  return { ...identity, enrolment: { ...identity.enrolment, server: serverUrl(server).origin } }
}

async function within(clock: Clock, ms: number, work: () => Promise<void>): Promise<void> {
  await Promise.race([work(), new Promise<void>((resolve) => clock.after(ms, resolve))])
}

/** A signal may come twice: from a terminal to the whole group, and from the parent. */
function toldToStop(log: Log): Promise<null> {
  return new Promise((resolve) => {
    const stop = (reason: string) => () => {
      log.info('The agent ends.', { reason })
      resolve(null)
    }
    process.on('SIGTERM', stop('SIGTERM'))
    process.on('SIGINT', stop('SIGINT'))
    const orphaned = stop('the parent has gone')
    process.on('disconnect', orphaned)
    // It may have gone while we started, before anybody listened.
    if (process.send !== undefined && !process.connected) orphaned()
  })
}
