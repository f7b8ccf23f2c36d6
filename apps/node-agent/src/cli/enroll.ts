import { resolve } from 'node:path'
import { type EnrollRequest, protocolVersion } from '@roost/api-types/agent'
import { printable, systemClock } from '@roost/runtime'
import { defaultDataDir, readConfig } from '../config.js'
import { startHelper } from '../machine/helper.js'
import { type Machine, openMachine } from '../machine/machine.js'
import { runCommand } from '../machine/run-command.js'
import { isUnderSystemd } from '../machine/systemd.js'
import { ensureKey, type Enrollment, keepIdentity, readIdentity, readMachineIds } from '../machine/identity.js'
import { readUnitText } from '../prepare/unit-text.js'
import { readHardware } from '../inventory/hardware.js'
import { clockRemedy } from '../uplink/clock-skew.js'
import { requestEnrollment } from '../uplink/enroll.js'
import { saveAuthorities } from '../uplink/trust.js'
import { agentVersion } from '../machine/package.js'
import { CommandError, exitCodes } from './command/command-error.js'
import { doPreparations, missingPreparations } from './prepare/gateway-prepare.js'
import type { EnrollFlags } from './command/flags.js'
import { parsePin } from './pin.js'
import { serverUrl } from './server-url.js'

/** Makes this machine a node. Done already for the same control plane, it says so and succeeds. */
export async function enroll(flags: EnrollFlags): Promise<number> {
  // Replaces the command line, which every account can read, with the token in it.
  process.title = 'roost-agent enroll'
  const server = serverUrl(flags.server)
  const caSha256 = flags.caSha256 === undefined ? null : parsePin(flags.caSha256)
  const config = readConfig(flags)
  const present = (await readIdentity(config.dataDir))?.enrollment
  if (present !== undefined) return alreadyEnrolled(present, server, config.dataDir)

  // A server that could not be prepared is better known before the token is used.
  const gateway = flags.gateway === true ? missingPreparations(config) : null
  const machine = openMachine(config.root)
  const key = await ensureKey(config.dataDir).catch((error: Error) => {
    const cause = (error.cause ?? error) as NodeJS.ErrnoException
    throw isForbidden(cause) ? notPermitted(config.dataDir, cause) : error
  })
  const { machineId, bootId, hostname } = readMachineIds(machine, key)
  const body: EnrollRequest = {
    token: flags.token,
    public_key: key.publicKey,
    hostname,
    machine_id: machineId,
    boot_id: bootId,
    agent_version: agentVersion,
    protocol: protocolVersion,
    clock: systemClock.now() / 1000,
    hardware: await readHardware({ machine, run: runCommand, start: startHelper, deadlineMs: 10_000 }),
    ...identityChoice(flags),
  }
  const { response, authorities, skewSeconds } = await requestEnrollment({ server, caSha256, body })
  await saveAuthorities(config.dataDir, authorities)
  const { node_id, node_uuid, cluster } = response
  await keepIdentity(config.dataDir, { server: server.origin, node_id, node_uuid, cluster })
  const start = startLine(machine, config.dataDir, flags)
  say(`This machine is node ${node_id} (${node_uuid}) of the cluster ${cluster}. Start the agent with: ${start}`)
  if (gateway !== null && gateway.preparations.length + gateway.unit.length > 0) await doPreparations(gateway, config)
  const remedy = clockRemedy(skewSeconds)
  if (remedy !== null) say(`Warning: ${remedy}`)
  return exitCodes.ok
}

function isForbidden({ code = '' }: NodeJS.ErrnoException): boolean {
  return ['EACCES', 'EPERM'].includes(code)
}

function notPermitted(dataDir: string, { code }: NodeJS.ErrnoException): CommandError {
  return new CommandError(`This account is not permitted to write ${dataDir} (${code}).`, {
    remedy: 'Run this command as root, or choose another directory with --data-dir.',
  })
}

function alreadyEnrolled(enrollment: Enrollment, server: URL, dataDir: string): number {
  const { node_id, node_uuid, cluster } = enrollment
  if (enrollment.server !== server.origin)
    throw new CommandError(`This machine is node ${node_id} of the control plane at ${enrollment.server}.`, {
      remedy: `If the address of this control plane has changed, set the new address in ${dataDir}/identity.json. To use another control plane, remove that file and enroll again.`,
    })
  say(`This machine is enrolled already: node ${node_id} (${node_uuid}) of the cluster ${cluster}.`)
  return exitCodes.ok
}

/** Returns the command that starts the agent with the same state and the same machine, from any directory: its unit, where that does so. */
function startLine(machine: Machine, dataDir: string, { root, config }: EnrollFlags): string {
  const flags = [
    ...(dataDir === defaultDataDir ? [] : ['--data-dir', dataDir]),
    ...(root === undefined ? [] : ['--root', root]),
    ...(config === undefined ? [] : ['--config', resolve(config)]),
  ]
  if (flags.length === 0 && isUnderSystemd(machine) && readUnitText(machine, 'roost-agent.service') !== undefined)
    return 'systemctl enable --now roost-agent'
  return ['roost-agent', ...flags.map(shellQuoted), 'run'].join(' ')
}

function shellQuoted(text: string): string {
  return /^[\w/.,:=@%+-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`
}

function identityChoice({ takePlace, newNode }: EnrollFlags): Pick<EnrollRequest, 'place'> {
  if (takePlace === true) return { place: 'take' }
  return newNode === true ? { place: 'new' } : {}
}

/** The line may have what the control plane answered. */
function say(line: string): void {
  process.stdout.write(`${printable(line)}\n`)
}
