import { readConfig } from '../../config.js'
import { readIdentity } from '../../machine/identity.js'
import { openMachine } from '../../machine/machine.js'
import { readMounts } from '../../machine/mounts.js'
import { agentVersion, programFolder } from '../../machine/package.js'
import { runCommand } from '../../machine/run-command.js'
import { findInstallation } from '../../upgrade/installation.js'
import { CommandError, exitCodes } from '../command/command-error.js'
import type { UninstallFlags } from '../command/flags.js'
import { gatewayLeave } from './gateway-leave.js'
import { requireRoot, say } from './preparation.js'
import { proxyLeave } from './proxy-leave.js'
import { storageLeave } from './storage.js'

const removeMs = 120_000

/** Each format of a package with the command that removes it and its data. */
const removals = { deb: ['dpkg', '--purge', 'roost-agent'], rpm: ['rpm', '--erase', 'roost-agent'] } as const

/** Takes Roost off this machine: its servers, then the package. Says what that takes, and does it with `--yes`. */
export async function uninstall(flags: UninstallFlags): Promise<number> {
  const config = readConfig(flags)
  const machine = openMachine(config.root)
  requireRoot(machine)
  const removal = await findRemoval()
  const mounted = readMounts(machine).filter(({ fsType }) => fsType === 'fuse.rclone')
  const ofOperator = mounted.filter(({ mountPoint }) => mountPoint.startsWith(`${config.gateway.mountDirectory}/`))
  if (config.gateway.mounts === 'operator' && ofOperator.length > 0)
    throw new CommandError(`Containers are mounted: ${ofOperator.map(({ mountPoint }) => mountPoint).join(', ')}.`, {
      remedy: 'Unmount them: until then, files that clients wrote may not be in Swift yet.',
    })
  const enrollment = (await readIdentity(config.dataDir))?.enrollment
  await gatewayLeave(flags)
  await proxyLeave(flags)
  await storageLeave(flags)
  say(`Runs \`${removal.join(' ')}\`, which deletes ${config.dataDir} with the identity of this node.`)
  if (flags.yes === true) await remove(removal)
  if (enrollment !== undefined)
    say(`On the control plane at ${enrollment.server}, remove the node: roost node remove ${enrollment.node_id}`)
  return exitCodes.ok
}

async function findRemoval(): Promise<readonly [file: string, ...args: string[]]> {
  const installation = await findInstallation(programFolder, agentVersion, runCommand)
  const format = installation?.format ?? 'tar'
  if (format !== 'tar') return removals[format]
  throw new CommandError('No package manager has installed this agent.', {
    remedy: 'See "Remove" in docs/agent.md for the commands.',
  })
}

async function remove([file, ...args]: readonly [string, ...string[]]): Promise<void> {
  const { exitCode, stderr } = await runCommand(file, args, { deadlineMs: removeMs })
  if (exitCode === 0) return
  throw new CommandError(`The package could not be removed: ${stderr.trim().split('\n').at(-1)}`)
}
