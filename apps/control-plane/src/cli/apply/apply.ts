import { randomUUID } from 'node:crypto'
import { counted } from '@roost/runtime'
import type { Command } from 'commander'
import type { Config } from '../../config.js'
import { commandError, withApi } from '../client/api.js'
import type { Rpc } from '../client/api.js'
import { confirmYes, yesFlag } from '../terminal/confirm.js'
import type { ConfirmFlags } from '../terminal/confirm.js'
import { CommandError, exitCodes } from '../terminal/exit-codes.js'
import { isTabular, print, withOutput } from '../terminal/output.js'
import type { OutputOptions, View } from '../terminal/output.js'
import { withProgress } from '../terminal/progress.js'
import type { Progress } from '../terminal/progress.js'
import type { Terminal } from '../terminal/terminal.js'
import { readFiles } from './documents.js'
import { Faults } from './faults.js'
import { createLookups } from './lookups.js'
import { countSteps, describeSteps, planFiles } from './plan.js'
import type { Step } from './step.js'

interface ApplyFlags extends OutputOptions, ConfirmFlags {
  readonly file: readonly string[]
  readonly prune?: boolean
  readonly dryRun?: boolean
}

/** A step and what became of it. */
interface Result {
  readonly step: Step
  readonly state: 'planned' | 'done' | 'failed' | 'not done'
  readonly message: string | null
}

const help = `
A file has a YAML document for each record, as "roost share show gw-1/docs -o yaml" prints it, with "---" between them. If the first
document is "set: NAME", the records that the file creates belong to that set, and --prune removes those that the file no longer describes.
Fields that a document leaves out keep their values. The server checks every change before the first one is made.

Exit codes: 0 applied, 2 a file or a value is invalid, 4 a record belongs to another set, 5 partly applied: run it again to go on,
10 not confirmed.`

function collect(path: string, before: readonly string[] = []): readonly string[] {
  return [...before, path]
}

export function addApply(program: Command, config: () => Config, terminal: Terminal): void {
  withOutput(program.command('apply'))
    .description('Bring clusters, nodes, users, shares, and rules and receivers of alerts to what files describe')
    .requiredOption('-f, --file <path>', 'file of YAML documents, or - for standard input; may be repeated', collect)
    .option(
      '--prune',
      'remove users, shares, rules and receivers that the set of the file has made and the file no longer describes',
    )
    .option('--dry-run', 'print and check the changes, and make none')
    .option(...yesFlag)
    .addHelpText('after', help)
    .action(async (flags: ApplyFlags) => {
      const files = await readFiles(flags.file, terminal.in)
      const requestId = randomUUID()
      await withApi(
        config(),
        async (rpc) => {
          const steps = await withProgress(terminal, 'reading the records', (progress) =>
            planAndCheck(rpc, files, { prune: flags.prune === true, progress }),
          )
          await finish(terminal, { rpc, requestId, steps }, flags)
        },
        { 'x-request-id': requestId },
      )
    })
}

async function planAndCheck(
  rpc: Rpc,
  files: Awaited<ReturnType<typeof readFiles>>,
  { prune, progress }: { readonly prune: boolean; readonly progress: Progress },
): Promise<readonly Step[]> {
  const faults = new Faults()
  const steps = await planFiles(files, createLookups(rpc), faults, { prune })
  faults.end()
  const earlier = new Set<string>()
  for (const [index, step] of steps.entries()) {
    progress.show(`checking ${step.kind} ${step.name}`, (100 * index) / steps.length)
    // The server cannot check what an earlier step makes possible.
    if (step.needs === undefined || !earlier.has(step.needs)) await checkStep(rpc, step, faults)
    earlier.add(`${step.kind} ${step.name}`)
  }
  faults.end()
  return steps
}

async function checkStep(rpc: Rpc, step: Step, faults: Faults): Promise<void> {
  try {
    await step.run(rpc, { validate_only: true })
  } catch (error) {
    const known = commandError(error)
    if (!(known instanceof CommandError)) throw error
    faults.add(`${step.action} ${step.kind} ${step.name}: ${known.message}`, known.exitCode)
  }
}

interface Plan {
  readonly rpc: Rpc
  readonly requestId: string
  readonly steps: readonly Step[]
}

async function finish(terminal: Terminal, { rpc, requestId, steps }: Plan, flags: ApplyFlags): Promise<void> {
  const isText = isTabular(flags)
  const planned = steps.map((step) => ({ step, state: 'planned', message: null }) as const)
  if (isText) terminal.out.write(describeSteps(steps))
  if (steps.length === 0 || flags.dryRun === true) {
    const end = steps.length === 0 ? 'Nothing to change.' : `${countSteps(steps)} Nothing was changed.`
    if (isText) terminal.out.write(`${end}\n`)
    else await print(terminal, planned, view, flags)
    return
  }
  if (!isText) terminal.err.write(describeSteps(steps))
  await confirmYes(terminal, flags, `${countSteps(steps)} Apply?`)
  const results = await withProgress(terminal, 'applying', (progress) => run(rpc, steps, progress))
  if (!isText) await print(terminal, results, view, flags)
  end(terminal, results, requestId, isText)
}

/** Runs the steps up to the first that fails. */
async function run(rpc: Rpc, steps: readonly Step[], progress: Progress): Promise<readonly Result[]> {
  const results: Result[] = []
  let hasFailed = false
  for (const [index, step] of steps.entries()) {
    if (hasFailed) {
      results.push({ step, state: 'not done', message: null })
      continue
    }
    progress.show(nameOf(step), (100 * index) / steps.length)
    const result = await runStep(rpc, step)
    hasFailed = result.state === 'failed'
    results.push(result)
  }
  return results
}

async function runStep(rpc: Rpc, step: Step): Promise<Result> {
  try {
    return { step, state: 'done', message: (await step.run(rpc, {})) ?? null }
  } catch (error) {
    const known = commandError(error)
    if (known instanceof CommandError) return { step, state: 'failed', message: known.message }
    throw error
  }
}

function end({ out, err }: Terminal, results: readonly Result[], requestId: string, isText: boolean): void {
  const done = results.filter(({ state }) => state === 'done')
  const failed = results.find(({ state }) => state === 'failed')
  const changes = `"roost audit list --request-id ${requestId}" shows them`
  for (const { message } of done) if (message !== null) err.write(`${message}\n`)
  if (failed === undefined) {
    if (isText) out.write(`${counted(done.length, 'change')} made; ${changes}\n`)
    return
  }
  const named = (state: Result['state']) => results.filter((one) => one.state === state).map(({ step }) => nameOf(step))
  const parts = [
    `could not ${nameOf(failed.step)}: ${failed.message ?? ''}`,
    `done: ${named('done').join(', ') || 'nothing'}${done.length > 0 ? `; ${changes}` : ''}`,
    `not done: ${[nameOf(failed.step), ...named('not done')].join(', ')}`,
    'Run the same command again to go on.',
  ]
  throw new CommandError(parts.join('\n'), done.length > 0 ? exitCodes.partly : exitCodes.error)
}

function nameOf({ action, kind, name }: Step): string {
  return `${action} ${kind} ${name}`
}

const view: View<Result> = {
  columns: {
    ACTION: ({ step }) => step.action,
    KIND: ({ step }) => step.kind,
    NAME: ({ step }) => step.name,
    STATE: ({ state }) => state,
    MESSAGE: ({ message }) => message,
  },
  name: ({ step }) => `${step.kind} ${step.name}`,
}
