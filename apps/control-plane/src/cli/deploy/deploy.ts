import { counted } from '@roost/runtime'
import { resourceUri } from '@roost/api-types/rest'
import type { Job, JobPlan } from '@roost/api-types/rest'
import type { Command } from 'commander'
import type { Config } from '../../config.js'
import { findCluster, nodeOf, withApi } from '../client/api.js'
import type { Rpc } from '../client/api.js'
import { hostnamesByUri } from '../records/fields.js'
import { parseDuration } from '../terminal/durations.js'
import { confirmYes, yesFlag } from '../terminal/confirm.js'
import type { ConfirmFlags } from '../terminal/confirm.js'
import { CommandError, exitCodes } from '../terminal/exit-codes.js'
import { isTabular, printValue, requireStructured, withOutput } from '../terminal/output.js'
import type { OutputOptions } from '../terminal/output.js'
import type { Terminal } from '../terminal/terminal.js'
import { awaitsConfirmation, endByResult, followJob, withWait } from './follow.js'
import type { WaitFlags } from './follow.js'
import { jobKinds, printJob } from './jobs.js'
import type { JobKind } from './jobs.js'
import { addPending } from './pending.js'
import { describeLeftOut, describePlan, lostSessions } from './plan.js'

interface DeployFlags extends OutputOptions, ConfirmFlags, WaitFlags {
  readonly cluster?: string
  readonly node?: string
  readonly generation?: string
  readonly planOnly?: boolean
  readonly dryRun?: boolean
  readonly detach?: boolean
  /** Seconds. */
  readonly confirmWithin?: number
}

const help = `
The plan has the files with their diffs and the clients that lose their session. It is applied exactly as shown, after a question; without
a terminal --yes is needed.

Exit codes: 0 applied (or planned), 1 failed, 4 refused or changed meanwhile, 5 some targets are applied, 7 --wait ended first, 10 not
confirmed.`

export function addDeploy(program: Command, config: () => Config, terminal: Terminal): void {
  const deploy = program.command('deploy').description('Plan and apply changes of shares or users on the nodes')
  const texts = { shares: 'Deploy shares to their gateways', users: 'Deploy users to the cluster that has them' }
  for (const kind of ['shares', 'users'] as const)
    withWait(withOutput(deploy.command(kind)))
      .description(texts[kind])
      .option('--cluster <cluster>', 'to all nodes of this cluster, by name or id')
      .option('--node <node>', 'to this node alone, by hostname or id')
      .option('--generation <number>', 'return --node to what this generation was')
      .option('--plan-only', 'print the plan and change nothing')
      .option('--dry-run', 'as --plan-only')
      .option(
        '--confirm-within <time>',
        'return by itself unless "roost job confirm" follows in time, such as 10m',
        parseDuration,
      )
      .option('--detach', 'do not wait for the end of the job')
      .option(...yesFlag)
      .addHelpText('after', help)
      .action(({ planOnly = false, dryRun = false, ...flags }: DeployFlags) =>
        withApi(config(), (rpc) => run(terminal, rpc, kind, { ...flags, planOnly: planOnly || dryRun })),
      )
  addPending(deploy, config, terminal)
}

async function run(terminal: Terminal, rpc: Rpc, kind: JobKind, flags: DeployFlags): Promise<void> {
  requirePlanFormat(flags)
  const jobs = rpc[jobKinds[kind]]
  const target = await targetOf(rpc, flags)
  const { id } = await jobs.create.mutate({ ...target, dry_run: true })
  const planned = await followJob(terminal, rpc, { kind: jobKinds[kind], id }, flags)
  const { plan } = planned
  if (plan === null || planned.state !== 'COMPLETED_SUCCESS')
    return failPlan(terminal, rpc, { kind, job: planned }, flags)
  if (flags.planOnly === true && !isTabular(flags)) return printValue(terminal, planned, flags)
  const hostnames = await hostnamesByUri(rpc)
  const text = describePlan(plan, hostnames) + describeLeftOut(planned, hostnames)
  if (isTabular(flags)) terminal.out.write(text)
  else terminal.err.write(text)
  if (flags.planOnly === true) return
  await confirmYes(terminal, flags, `${costOf(plan)} Apply this plan?`)
  const { confirmWithin } = flags
  const { id: applied } = await jobs.create.mutate({
    ...target,
    plan_id: plan.plan_id,
    ...(confirmWithin !== undefined && { confirm_within_s: confirmWithin }),
  })
  if (flags.detach === true) {
    terminal.out.write(`job ${applied} has begun; "roost job wait ${applied}" follows it\n`)
    return
  }
  const job = await followJob(terminal, rpc, { kind: jobKinds[kind], id: applied }, flags)
  await printJob(terminal, rpc, { kind, job }, flags)
  if (awaitsConfirmation(job))
    terminal.err.write(`Without "roost job confirm ${applied}" in time each node returns to what it was.\n`)
  endByResult(job)
}

/** Throws before a plan is made that could not be printed. */
function requirePlanFormat(flags: DeployFlags): void {
  if (flags.planOnly === true && !isTabular(flags)) requireStructured(flags)
}

function costOf(plan: JobPlan): string {
  const lost = lostSessions(plan)
  return `${lost === 0 ? 'No client loses' : `${counted(lost, 'client')} will lose`} a session.`
}

async function failPlan(
  terminal: Terminal,
  rpc: Rpc,
  planned: { readonly kind: JobKind; readonly job: Job },
  options: OutputOptions,
): Promise<void> {
  await printJob(terminal, rpc, planned, options)
  throw new CommandError(`There is no plan: ${planned.job.message || 'a node did not answer'}. Nothing was changed.`)
}

async function targetOf(rpc: Rpc, { cluster, node, generation }: DeployFlags) {
  if ((cluster === undefined) === (node === undefined))
    throw new CommandError('Give either --cluster or --node.', exitCodes.usage)
  if (generation !== undefined && !/^[1-9]\d{0,8}$/.test(generation))
    throw new CommandError('--generation must be a number.', exitCodes.usage)
  return {
    ...(cluster !== undefined && { cluster: resourceUri('clusters', (await findCluster(rpc, cluster)).id) }),
    ...(node !== undefined && { node: resourceUri('nodes', (await nodeOf(rpc.nodes, node)).id) }),
    ...(generation !== undefined && { generation: Number(generation) }),
  }
}
