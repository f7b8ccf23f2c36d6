import type { Job, JobTarget } from '@roost/api-types/rest'
import type { Command } from 'commander'
import type { Config } from '../../config.js'
import { listAll, withApi } from '../client/api.js'
import type { Rpc } from '../client/api.js'
import { clusterNamesByUri, hostnamesByUri } from '../records/fields.js'
import { moment, state } from '../terminal/cells.js'
import { CommandError, exitCodes } from '../terminal/exit-codes.js'
import { isStructured, isTabular, print, printOne, printValue, withOutput } from '../terminal/output.js'
import type { OutputOptions, View } from '../terminal/output.js'
import type { Terminal } from '../terminal/terminal.js'
import { watched, withWatch } from '../terminal/watch.js'
import type { WatchOptions } from '../terminal/watch.js'
import { endByResult, followJob, withWait } from './follow.js'
import type { WaitFlags } from './follow.js'
import { describeLeftOut } from './plan.js'

/** The two kinds of jobs, by the noun that `roost deploy` has for them. Both have their ids from one sequence. */
export const jobKinds = { shares: 'gatewayDeployments', users: 'userDbDeployments' } as const
export type JobKind = keyof typeof jobKinds

interface KnownJob {
  readonly kind: JobKind
  readonly job: Job
}

async function viewOf(rpc: Rpc): Promise<View<KnownJob>> {
  const [nodes, clusters] = [await hostnamesByUri(rpc), await clusterNamesByUri(rpc)]
  return {
    columns: {
      ID: ({ job }) => job.id,
      DEPLOYS: ({ kind }) => kind,
      TO: ({ job: { node, cluster } }) => nodes.get(node ?? '') ?? clusters.get(cluster ?? ''),
      STATE: ({ job }) => state(job.state),
      PROGRESS: ({ job }) => `${job.progress} %`,
      CREATED: ({ job }) => moment(job.created),
      MESSAGE: ({ job }) => job.message,
    },
    wide: {
      FINISHED: ({ job }) => moment(job.finished),
      'DRY RUN': ({ job }) => job.dry_run,
    },
    name: ({ job }) => job.id,
    document: ({ job }) => job,
  }
}

/** Prints a job with its targets. */
export async function printJob(terminal: Terminal, rpc: Rpc, known: KnownJob, options: OutputOptions): Promise<void> {
  const view = await viewOf(rpc)
  if (!isTabular(options)) return printOne(terminal, known.job, jobView(view, known), options)
  await printOne(terminal, known, view, options)
  if (known.job.targets.length === 0) return
  const hostnames = await hostnamesByUri(rpc)
  terminal.out.write('\n')
  const targets: View<JobTarget> = {
    columns: {
      TARGET: (target) => ('node' in target ? hostnames.get(target.node) : 'identity service'),
      STATE: (target) => state(target.state),
      GENERATION: (target) => ('generation' in target ? target.generation : null),
      MESSAGE: ({ message }) => message,
    },
    name: (target) => ('node' in target ? target.node : target.identity),
  }
  await print(terminal, known.job.targets, targets, options)
  terminal.out.write(describeLeftOut(known.job, hostnames))
}

/** In JSON and YAML a job is the record of the API. */
function jobView(view: View<KnownJob>, { kind }: KnownJob): View<Job> {
  const columns = Object.entries(view.columns).map(([name, read]) => [name, (job: Job) => read({ kind, job })] as const)
  return { columns: Object.fromEntries(columns), name: ({ id }) => id }
}

async function findJob(rpc: Rpc, text: string): Promise<KnownJob> {
  if (!/^\d{1,9}$/.test(text))
    throw new CommandError(`'${text}' is not a job id. Use the ID that "roost job list" shows.`, exitCodes.usage)
  for (const kind of ['shares', 'users'] as const) {
    const [job] = await rpc[jobKinds[kind]].getMany.query({ ids: [text] })
    if (job !== undefined) return { kind, job }
  }
  throw new CommandError(`job '${text}' not found.`, exitCodes.notFound)
}

interface ListFlags extends OutputOptions, WatchOptions {
  readonly all?: boolean
  readonly state?: string
}

const allStates = ['NEW', 'QUEUED', 'IN_PROGRESS', 'COMPLETED_SUCCESS', 'COMPLETED_FAILED']

export function addJobs(program: Command, config: () => Config, terminal: Terminal): void {
  const parent = program.command('job').description('Show, confirm and cancel the jobs that deploy shares and users')
  withWatch(withOutput(parent.command('list')))
    .description('List unfinished jobs')
    .option('--all', 'also list finished jobs')
    .option('--state <state>', 'only jobs in this state, such as COMPLETED_FAILED')
    .action((options: ListFlags) =>
      watched(terminal, options, () =>
        withApi(config(), async (rpc) => {
          const { state: only, all = false } = options
          const states = only === undefined ? (all ? allStates : undefined) : [only]
          const filters = states === undefined ? {} : { state: states }
          const found: KnownJob[] = []
          for (const kind of ['shares', 'users'] as const) {
            const jobs = await listAll((range) => rpc[jobKinds[kind]].list.query({ ...range, filters }))
            found.push(...jobs.map((job) => ({ kind, job })))
          }
          const sorted = found.toSorted((a, b) => Number(a.job.id) - Number(b.job.id))
          if (isStructured(options))
            await printValue(
              terminal,
              sorted.map(({ kind, job }) => ({ deploys: kind, ...job })),
              options,
            )
          else await print(terminal, sorted, await viewOf(rpc), options)
        }),
      ),
    )
  addOneJob(parent, config, terminal)
}

/** Adds the commands for one job. */
function addOneJob(parent: Command, config: () => Config, terminal: Terminal): void {
  withWatch(withOutput(parent.command('show <id>')))
    .description('Show a job with its targets')
    .action((id: string, options: OutputOptions & WatchOptions) =>
      watched(terminal, options, () =>
        withApi(config(), async (rpc) => printJob(terminal, rpc, await findJob(rpc, id), options)),
      ),
    )
  withWait(withOutput(parent.command('wait <id>')))
    .description('Follow a job until it ends; exit code 5 if it reached some of its targets, 1 if it failed')
    .action((id: string, options: OutputOptions & WaitFlags) =>
      withApi(config(), async (rpc) => {
        const { kind } = await findJob(rpc, id)
        const job = await followJob(terminal, rpc, { kind: jobKinds[kind], id }, options)
        await printJob(terminal, rpc, { kind, job }, options)
        endByResult(job)
      }),
    )
  for (const [verb, description] of [
    ['confirm', 'Keep what a job has applied that was deployed with --confirm-within'],
    ['cancel', 'Cancel the targets of a job that have not begun'],
  ] as const)
    withOutput(parent.command(`${verb} <id>`))
      .description(description)
      .action((id: string, options: OutputOptions) =>
        withApi(config(), async (rpc) => {
          const { kind } = await findJob(rpc, id)
          await printJob(terminal, rpc, { kind, job: await rpc[jobKinds[kind]][verb].mutate({ id }) }, options)
        }),
      )
}
