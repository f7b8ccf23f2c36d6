import { access, constants } from 'node:fs/promises'
import { severityOf } from '@roost/api-types/checks'
import type { Inventory } from '@roost/api-types/agent'
import {
  createDiskReader,
  createLog,
  failedChecks,
  type Finding,
  nearlyFullBelow,
  readUnit,
  renderFindings,
  systemClock,
  type Unit,
} from '@roost/runtime'
import { type AgentConfig, hasVariables, readConfig } from '../config.js'
import { type Context, openContext } from '../context.js'
import { dataDirBounds } from '../inventory/data-dir.js'
import { kernelOf } from '../machine/machine.js'
import { type Enrollment, readIdentity } from '../machine/identity.js'
import { clockRemedy } from '../uplink/clock-skew.js'
import { openTrust } from '../uplink/trust.js'
import { unlessDenied } from '../machine/try-read.js'
import { logFormatOf } from '../swift/access-log/log-format.js'
import { readProxyLogging } from '../swift/access-log/proxy-logging.js'
import { reloadCost } from '../swift/users/reload-cost.js'
import { findLocation } from '../swift/users/location.js'
import { checkAccessLog } from './checks/check-access-log.js'
import { checkGateway } from './check-gateway.js'
import { exitCodes } from './command/command-error.js'
import type { GlobalFlags, PrintFlags } from './command/flags.js'
import { reach } from './checks/reach.js'

const log = createLog({ format: 'pretty', level: 'error', write: (line) => process.stderr.write(line) })

/** Checks everything that the agent needs, and prints what to do about each fault. Fails when a check fails. */
export async function doctor(flags: PrintFlags): Promise<number> {
  const { findings } = await diagnose(flags)
  const failed = failedChecks(findings)
  process.stdout.write(renderFindings(findings, flags.output))
  if (flags.output === 'table') process.stdout.write(`\n${failed ?? 'No check failed.'}\n`)
  return failed === undefined ? exitCodes.ok : exitCodes.failed
}

/** The findings, with the settings and the inventory that they are about. */
export interface Diagnosis {
  readonly config: AgentConfig
  readonly inventory: Inventory
  readonly findings: readonly Finding[]
}

/** Checks everything that the agent of these flags needs. */
export async function diagnose(flags: GlobalFlags): Promise<Diagnosis> {
  const unit = await ownUnit(flags)
  const config = readConfig(flags, unit?.variables)
  const context = openContext(config, systemClock, log)
  try {
    const inventory = await context.inventories.read()
    const findings = [
      await checkState(config),
      checkSystemd(context, unit),
      ...(await checkControlPlane(config)),
      ...checkInventory(inventory),
      ...(inventory.roles.runs_gateway ? checkGateway(config) : []),
      ...(inventory.roles.runs_proxy ? await checkProxy(context, config) : []),
    ]
    return { config, inventory, findings }
  } finally {
    await context.close()
  }
}

const leastFreeBytes = 100e6

/** Checks the state directory, which has the identity and the spool. */
async function checkState({ dataDir }: AgentConfig): Promise<Finding> {
  const check = 'state'
  const fault = await access(dataDir, constants.R_OK | constants.W_OK).then(
    () => undefined,
    (error: NodeJS.ErrnoException) => error.code,
  )
  if (fault === 'ENOENT')
    return { check, verdict: 'warn', message: `${dataDir} does not exist yet: \`roost-agent enroll\` creates it.` }
  if (fault !== undefined)
    return {
      check,
      verdict: 'fail',
      message: `${dataDir} is not accessible (${fault}): run this command as the user of the agent.`,
    }
  const space = await createDiskReader(dataDir)
    .read()
    .catch((error: Error) => error)
  if (space instanceof Error) return { check, verdict: 'fail', message: `${space.message} Check that disk.` }
  const free = space.availableBytes
  const seen = `${dataDir}, ${(free / 1e9).toFixed(1)} GB free`
  if (free >= nearlyFullBelow(space, dataDirBounds)) return { check, verdict: 'ok', message: seen }
  const verdict = free < leastFreeBytes ? 'fail' : 'warn'
  const message = `${seen}. When it is full, reports that wait for the control plane are lost. Free some disk space.`
  return { check, verdict, message }
}

const unitName = 'roost-agent'

/** Reads the unit of this machine's agent, whose variables count unless the caller names another agent. */
async function ownUnit({ dataDir, root }: GlobalFlags): Promise<Unit | null> {
  const isOther = dataDir !== undefined || root !== undefined || hasVariables()
  return isOther ? null : readUnit(unitName)
}

function checkSystemd({ machine }: Context, unit: Unit | null): Finding {
  const check = 'systemd'
  if (unit?.state === 'failed') {
    const message = `${unitName}.service failed (${unit.result}): \`journalctl -u ${unitName}\` has the reason. Start it with \`systemctl start ${unitName}\`.`
    return { check, verdict: 'fail', message }
  }
  if (unit !== null) return { check, verdict: 'ok', message: `${unitName}.service is ${unit.state}` }
  if (machine.stamp('/run/systemd/system') !== undefined)
    return { check, verdict: 'ok', message: 'is the service manager of this machine' }
  const message =
    'is not the service manager of this machine: use another supervisor to restart the agent when it ends.'
  return { check, verdict: 'warn', message }
}

async function checkControlPlane({ dataDir }: AgentConfig): Promise<readonly Finding[]> {
  const check = 'enrollment'
  try {
    const identity = await readIdentity(dataDir)
    if (identity === undefined) {
      const message = 'this machine is not enrolled yet: run the line that `roost token create` prints.'
      return [{ check, verdict: 'warn', message }]
    }
    const { server, node_id, cluster } = identity.enrollment
    const enrolled: Finding = { check, verdict: 'ok', message: `node ${node_id} of the cluster ${cluster}, ${server}` }
    return [enrolled, ...(await checkReach(dataDir, identity.enrollment))]
  } catch (error) {
    return [{ check, verdict: 'fail', message: (error as Error).message }]
  }
}

async function checkReach(dataDir: string, { server }: Enrollment): Promise<readonly Finding[]> {
  const check = 'control plane'
  try {
    const { authorities } = await openTrust(dataDir, log)
    const { status, skewSeconds } = await reach(server, authorities)
    const remedy = clockRemedy(skewSeconds)
    const clock: Finding =
      remedy === null
        ? {
            check: 'clock',
            verdict: 'ok',
            message:
              skewSeconds === null ? 'unknown: the control plane sent no date' : `within ${Math.abs(skewSeconds)} s`,
          }
        : { check: 'clock', verdict: 'fail', message: remedy }
    if (status === 200) return [{ check, verdict: 'ok', message: `${server} answers` }, clock]
    const message = `${server} answers /healthz with status ${status}: run \`roost doctor\` on the control plane.`
    return [{ check, verdict: 'fail', message }, clock]
  } catch (error) {
    const message = `${server} cannot be reached (${(error as Error).message}): check its address, the firewall, and that it is running.`
    return [{ check, verdict: 'fail', message }]
  }
}

function checkInventory({ devices, rings, roles, gateway, problems }: Inventory): readonly Finding[] {
  return [
    checkDevices(devices, rings.length > 0),
    ...(roles.runs_gateway ? [{ check: 'gateway', verdict: 'ok', message: softwareOf(gateway) } as const] : []),
    ...problems
      .filter(({ code }) => code !== 'device_failed')
      .map(({ code, severity, message }): Finding => ({ check: code, verdict: verdictOf(code, severity), message })),
  ]
}

async function checkProxy(context: Context, config: AgentConfig): Promise<readonly Finding[]> {
  const { machine } = context
  const proxies = unlessDenied(() => readProxyLogging(machine, kernelOf(machine), config.swiftDirectory)) ?? []
  const log = await checkAccessLog(config.usage.accessLog, machine, logFormatOf(proxies))
  return [...log, checkUsers(context, config)]
}

/** Checks that the cluster's users can be deployed to this proxy; one on Keystone has none of ours. */
function checkUsers({ machine }: Context, { swiftDirectory }: AgentConfig): Finding {
  const check = 'users'
  try {
    const kernel = kernelOf(machine)
    const { file } = findLocation(machine, kernel, swiftDirectory)
    const seen = `users are deployed to ${file}`
    const cost = reloadCost(kernel)
    if (cost !== null) return { check, verdict: 'warn', message: `${seen}. ${cost}` }
    return { check, verdict: 'ok', message: seen }
  } catch (error) {
    return { check, verdict: 'warn', message: (error as Error).message }
  }
}

/** A warning is a node that works although an operator should know. */
function verdictOf(code: string, severity = severityOf(code)): Finding['verdict'] {
  return severity === 'warning' ? 'warn' : 'fail'
}

function checkDevices(devices: Inventory['devices'], hasRings: boolean): Finding {
  const check = 'devices'
  if (devices === null)
    return { check, verdict: 'fail', message: 'the rings cannot be used: fix their problems below.' }
  const bad = devices.filter(({ status }) => status !== 'ok' && status !== 'unmanaged')
  const seen = `${devices.length - bad.length} of ${devices.length} mounted and readable`
  if (bad.length > 0) {
    const list = bad.map(({ name, status }) => `${name} ${status}`).join(', ')
    return {
      check,
      verdict: 'fail',
      message: `${seen} (${list}): mount the devices that are not mounted, and check the disks of the others.`,
    }
  }
  if (devices.length > 0) return { check, verdict: 'ok', message: seen }
  const message = hasRings
    ? 'the rings have no device on this node, as is usual for a proxy.'
    : 'this node has no rings and no declared devices: on a node without Swift, declare devices in the configuration.'
  return { check, verdict: hasRings ? 'ok' : 'warn', message }
}

function softwareOf(gateway: Inventory['gateway']): string {
  const installed = Object.entries(gateway).flatMap(([name, version]) => (version === null ? [] : `${name} ${version}`))
  return installed.join(', ')
}
