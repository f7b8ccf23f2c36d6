import { type Clock, createLog, type Log, systemClock } from '@roost/runtime'
import { type AgentConfig, readConfig } from '../config.js'
import { openAgent } from '../context.js'
import { type Identity, readIdentity, retireIdentity } from '../machine/identity.js'
import { lockStateDirectory } from '../machine/state-lock.js'
import { CommandError, exitCodes } from './command/command-error.js'
import { serverUrl } from './server-url.js'
import type { RunFlags } from './command/flags.js'

/** The longest time to stop in order. */
const stopMs = 8000

/** Runs the agent until a signal, the parent that started it with an IPC channel, or the control plane ends it. */
export async function run(flags: RunFlags): Promise<number> {
  const config = readConfig(flags)
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
  const { enrollment } = identity
  const agent = await openAgent({ config, identity, clock, log })
  log.info('agent started', { node: enrollment.node_id, server: enrollment.server, dataDir: config.dataDir })
  await agent.ready()
  const end = await Promise.race([agent.ended, stopRequested(log)])
  await within(clock, stopMs, () => agent.stop())
  if (end?.reason !== 'revoked') return exitCodes.ok
  await retireIdentity(config.dataDir)
  throw new CommandError(`An operator removed this node from ${enrollment.server}: ${end.message}`, {
    remedy: 'To add this machine again, enroll it with a new token from `roost token create`.',
    exitCode: exitCodes.removed,
  })
}

async function readEnrolled(dataDir: string): Promise<Identity> {
  const identity = await readIdentity(dataDir)
  if (identity !== undefined) return identity
  throw new CommandError(`This machine is not enrolled: ${dataDir} has no identity.`, {
    remedy: 'Create a token on the control plane with `roost token create`, and run the line that it prints.',
    exitCode: exitCodes.notEnrolled,
  })
}

/** Returns the identity with another address of its control plane. */
function servedAt(identity: Identity, server: string | undefined): Identity {
  if (server === undefined) return identity
  return { ...identity, enrollment: { ...identity.enrollment, server: serverUrl(server).origin } }
}

async function within(clock: Clock, ms: number, work: () => Promise<void>): Promise<void> {
  await Promise.race([work(), new Promise<void>((resolve) => clock.after(ms, resolve))])
}

/** Waits for a signal or the end of the parent. A signal may come twice: from the terminal and from the parent. */
function stopRequested(log: Log): Promise<null> {
  return new Promise((resolve) => {
    const stop = (reason: string) => () => {
      log.info('agent stopping', { reason })
      resolve(null)
    }
    process.on('SIGTERM', stop('SIGTERM'))
    process.on('SIGINT', stop('SIGINT'))
    const orphaned = stop('the parent ended')
    process.on('disconnect', orphaned)
    // The parent may have ended before this handler was added.
    if (process.send !== undefined && !process.connected) orphaned()
  })
}
