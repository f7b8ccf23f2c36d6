import { setTimeout as sleep } from 'node:timers/promises'
import type { AgentUpgradeJob, UpgradeTarget } from '@roost/api-types/rest'
import { printable } from '@roost/runtime'
import { type Command, InvalidArgumentError } from 'commander'
import type { Config } from '../../config.js'
import { findCluster, listAll, nodeOf, withApi } from '../client/api.js'
import type { Rpc } from '../client/api.js'
import { state } from '../terminal/cells.js'
import { confirmYes, yesFlag } from '../terminal/confirm.js'
import type { ConfirmFlags } from '../terminal/confirm.js'
import { parseDuration } from '../terminal/durations.js'
import { CommandError, exitCodes } from '../terminal/exit-codes.js'
import { print, withOutput } from '../terminal/output.js'
import type { OutputOptions, View } from '../terminal/output.js'
import { withProgress } from '../terminal/progress.js'
import type { Terminal } from '../terminal/terminal.js'

interface UpgradeFlags extends OutputOptions, ConfirmFlags {
  readonly cluster?: string
  readonly to?: string
  readonly canary: number
  readonly wave: number
  readonly planOnly?: boolean
  readonly dryRun?: boolean
  /** Seconds, or false with `--no-wait`. */
  readonly wait?: number | false
}

const pollMs = 1_000

const help = `
Exit codes: 0 upgraded (or planned), 1 failed, 4 another upgrade of the cluster has not ended, 7 --wait ended first, 10 not confirmed. An
upgrade runs on when this command ends: "roost upgrade show" and "roost upgrade cancel" know it by its id.`

/** Adds `node upgrade`: plan, question, progress, result. */
export function addNodeUpgrade(node: Command, config: () => Config, terminal: Terminal): void {
  withOutput(node.command('upgrade [node]'))
    .description('Upgrade the agent of a node, by hostname or id, or of the nodes of --cluster in waves')
    .option('--cluster <cluster>', 'all enabled nodes of this cluster, by name or id')
    .option('--to <version>', 'version to install (default: the newest that the control plane has)')
    .option('--canary <nodes>', 'how many nodes are upgraded first', numberUpTo(1000), 1)
    .option('--wave <percent>', 'size of the later waves, such as 10%', numberUpTo(100), 10)
    .option('--plan-only', 'print the waves and change nothing')
    .option('--dry-run', 'as --plan-only')
    .option('--wait <time>', 'wait at most so long, such as 30m (default: until it ends)', parseDuration)
    .option('--no-wait', 'do not wait for the end')
    .option(...yesFlag)
    .addHelpText('after', help)
    .action((nameOrId: string | undefined, flags: UpgradeFlags) =>
      withApi(config(), async (rpc) => {
        const input = await inputOf(rpc, nameOrId, flags)
        const plan = await rpc.agentUpgrades.create.mutate({ ...input, validate_only: true })
        const view = await viewOf(rpc, plan)
        await print(terminal, plan.targets, view, flags)
        if (flags.planOnly === true || flags.dryRun === true) return
        await confirmYes(terminal, flags, `Upgrade ${countDue(plan)} to ${plan.version}?`)
        const upgrade = await rpc.agentUpgrades.create.mutate({ ...input, version: plan.version })
        terminal.err.write(`upgrade ${upgrade.id} created\n`)
        if (flags.wait !== false) await followToEnd(rpc, terminal, upgrade, flags.wait)
      }),
    )
}

function numberUpTo(most: number) {
  return (text: string) => {
    const value = Number(/^(\d{1,4})%?$/.exec(text)?.[1])
    if (value >= 1 && value <= most) return value
    throw new InvalidArgumentError(`Use a whole number from 1 to ${most}.`)
  }
}

async function inputOf(rpc: Rpc, nameOrId: string | undefined, { cluster, to, canary, wave }: UpgradeFlags) {
  if ((nameOrId === undefined) === (cluster === undefined))
    throw new CommandError('Give either a node or --cluster.', exitCodes.usage)
  const target =
    nameOrId === undefined
      ? { cluster: (await findCluster(rpc, cluster ?? '')).id }
      : { node: (await nodeOf(rpc.nodes, nameOrId)).id }
  return { ...target, canary, wave_percent: wave, ...(to === undefined ? {} : { version: to }) }
}

function countDue({ targets }: AgentUpgradeJob): string {
  const due = targets.filter(({ wave }) => wave > 0).length
  return `${due} ${due === 1 ? 'node' : 'nodes'}`
}

/** Returns the columns of a target, with the hostnames of the cluster. */
async function viewOf(rpc: Rpc, { cluster }: Pick<AgentUpgradeJob, 'cluster'>): Promise<View<UpgradeTarget>> {
  const filters = { cluster: Number(cluster.split('/').at(-2)) }
  const nodes = await listAll((range) => rpc.nodes.list.query({ ...range, filters }))
  const names = new Map(nodes.map(({ resource_uri: uri, hostname }) => [uri, hostname]))
  const nameOf = ({ node }: UpgradeTarget) => names.get(node) ?? node
  return {
    columns: {
      WAVE: ({ wave }) => (wave === 0 ? null : wave),
      NODE: nameOf,
      FROM: ({ from_version: from }) => from,
      STATE: (target) => state(target.state),
      MESSAGE: ({ message }) => message,
    },
    name: nameOf,
  }
}

/** Prints each change of a node until the upgrade has ended. */
async function followToEnd(rpc: Rpc, terminal: Terminal, upgrade: AgentUpgradeJob, wait?: number): Promise<void> {
  const { id, version } = upgrade
  const { name } = await viewOf(rpc, upgrade)
  const limit = AbortSignal.any([terminal.stopping, ...(wait === undefined ? [] : [AbortSignal.timeout(wait * 1_000)])])
  const printed = new Map<string, string>()
  const end = await withProgress(terminal, `upgrade ${id}`, async (progress) => {
    while (!limit.aborted) {
      const now = await rpc.agentUpgrades.get.query({ id })
      for (const target of now.targets) {
        const line = [target.state, target.message].filter((part) => part !== '').join(': ')
        if (printed.get(target.node) !== line && target.state !== 'waiting') progress.print(`${name(target)} ${line}`)
        printed.set(target.node, line)
      }
      if (now.state.startsWith('COMPLETED')) return now
      progress.show(`upgrade ${id} to ${version}`, now.progress)
      await sleep(pollMs, undefined, { signal: limit }).catch(() => undefined)
    }
    return undefined
  })
  if (end === undefined) throw notEnded(id, terminal.stopping.aborted ? exitCodes.error : exitCodes.timeout)
  if (end.state === 'COMPLETED_FAILED') throw new CommandError(end.message)
  terminal.out.write(
    `upgrade ${id} to ${version} completed\n${end.message === '' ? '' : `${printable(end.message)}\n`}`,
  )
}

function notEnded(id: number, exitCode: number): CommandError {
  return new CommandError(
    `Upgrade ${id} has not ended. It runs on: "roost upgrade show ${id} --watch" follows it.`,
    exitCode,
  )
}
