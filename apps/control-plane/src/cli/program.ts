import { Command, Option } from 'commander'
import type { Config } from '../config.js'
import { readShell } from '../config/shell.js'
import type { StartServer } from './serve-options.js'
import { addDryRun } from './terminal/dry-run.js'
import { parseDuration } from './terminal/durations.js'
import { colorChoices, styleOf } from './terminal/style.js'
import type { StyleFlags } from './terminal/style.js'
import type { Terminal } from './terminal/terminal.js'

const commandsHelp = `All commands except "local" and "packages" call the API of the control plane that runs on ROOST_DATA_DIR, with the key in its file
admin.apikey. For another control plane, run "roost login URL", and select one of several with --context or ROOST_CONTEXT. Scripts
can set ROOST_URL (https://roost.example:8443), ROOST_API_KEY (NAME:KEY) and ROOST_CA, a copy of its ca.pem, instead.

Exit codes: 0 success, 1 failure, 2 invalid arguments or variables, 3 not found, 4 conflict with the current state,
5 partly done, 6 missing or insufficient credentials, 7 timeout, 8 a cluster warns, 9 a cluster is critical (status), 10 not
confirmed. "roost help exit-codes" explains them, and "roost help environment" the variables.`

type Add = (program: Command, config: () => Config, terminal: Terminal) => void

/** THE LIST of commands, in the order of the help. Only the modules of the command that runs are loaded. */
const areas: Readonly<Record<string, () => Promise<Add>>> = {
  status: async () => (await import('./doctor/status.js')).addStatus,
  cluster: async () => (await import('./clusters.js')).addClusters,
  node: async () => (await import('./nodes.js')).addNodes,
  share: async () => (await import('./records/shares.js')).addShares,
  user: async () => (await import('./records/users.js')).addUsers,
  apply: async () => (await import('./apply/apply.js')).addApply,
  deploy: async () => (await import('./deploy/deploy.js')).addDeploy,
  job: async () => (await import('./deploy/jobs.js')).addJobs,
  drift: async () => (await import('./deploy/drift.js')).addDrift,
  device: async () => (await import('./devices.js')).addDevices,
  policy: async () => (await import('./records/read-only.js')).addPolicies,
  capacity: async () => (await import('./readings/capacity.js')).addCapacity,
  forecast: async () => (await import('./readings/health.js')).addForecast,
  health: async () => (await import('./readings/health.js')).addHealth,
  explain: async () => (await import('./readings/explain.js')).addExplain,
  alert: async () => (await import('./alerts/alerts.js')).addAlerts,
  metrics: async () => (await import('./readings/readings.js')).addMetrics,
  token: async () => (await import('./tokens.js')).addTokens,
  upgrade: async () => (await import('./upgrades/upgrades.js')).addUpgrades,
  packages: async () => (await import('./packages.js')).addPackages,
  usage: async () => (await import('./usage.js')).addUsage,
  audit: async () => (await import('./records/read-only.js')).addAudit,
  operator: async () => (await import('./access/operators.js')).addOperators,
  key: async () => (await import('./access/keys.js')).addKeys,
  session: async () => (await import('./access/sessions.js')).addSessions,
  login: async () => (await import('./connection/login.js')).addLogin,
  context: async () => (await import('./connection/contexts.js')).addContexts,
  api: async () => (await import('./connection/api-call.js')).addApiCall,
  search: async () => (await import('./readings/search.js')).addSearch,
  system: async () => (await import('./readings/system.js')).addSystem,
  doctor: async () => (await import('./doctor/doctor.js')).addDoctor,
  'support-bundle': async () => (await import('./support/support-bundle.js')).addSupportBundle,
}

export interface ProgramOptions {
  readonly terminal: Terminal
  readonly version: string
  readonly startServer: StartServer
  /** The arguments, of which the first without a dash is the command. */
  readonly args: readonly string[]
}

interface GlobalFlags extends StyleFlags {
  readonly context?: string
  /** Seconds. */
  readonly requestTimeout?: number
}

/** Builds the command that the arguments name; every command where they name none, as for the help. */
export async function createProgram({ terminal, version, startServer, args }: ProgramOptions): Promise<Command> {
  const program = rootCommand(terminal, version)
  if (args.length === 1 && args[0] === '--version') return program
  const { readConfig } = await import('../config.js')
  const config = (): Config => {
    const { context, requestTimeout } = program.opts<GlobalFlags>()
    const timeoutMs = requestTimeout === undefined ? undefined : requestTimeout * 1000
    return {
      ...readConfig(),
      ...(context !== undefined && { context: { name: context } }),
      call: { validateOnly: terminal.style.isDryRun, timeoutMs },
    }
  }
  const addLocal = async (): Promise<Add> => {
    const { addLocal: add } = await import('./local.js')
    return (...given) => add(...given, startServer)
  }
  const all = { ...areas, local: addLocal, ...referenceOf({ terminal, version, startServer }) }
  const named = Object.entries(all).filter(([name]) => name === commandOf(args))
  const modules = new Set((named.length > 0 ? named : Object.entries(all)).map(([, load]) => load))
  for (const load of modules) (await load())(program, config, terminal)
  addDryRun(program, terminal)
  program.hook('preAction', (_root, command) => {
    const { output } = command.opts<{ readonly output?: string }>()
    Object.assign(terminal.style, styleOf(program.opts<GlobalFlags>(), terminal.out, readShell()))
    terminal.style.hasJsonErrors = output === 'json'
  })
  return program
}

/** Returns the commands that describe all commands. */
function referenceOf({
  terminal,
  version,
  startServer,
}: Omit<ProgramOptions, 'args'>): Record<string, () => Promise<Add>> {
  const everyCommand = () => createProgram({ terminal, version, startServer, args: [] })
  const completion = async (): Promise<Add> => {
    const { addCompletion } = await import('./reference/completion.js')
    return (...given) => addCompletion(...given, everyCommand)
  }
  const man = async (): Promise<Add> => {
    const { addMan } = await import('./reference/man.js')
    return (program) => addMan(program, terminal, everyCommand, commandsHelp)
  }
  const help = async (): Promise<Add> => {
    const { addHelp } = await import('./reference/help.js')
    return (root) => addHelp(root, terminal, everyCommand)
  }
  // Both names are of one module: a command that scripts call, and the one that prints them.
  return { completion, complete: completion, man, help }
}

function rootCommand({ out, err }: Terminal, version: string): Command {
  return new Command('roost')
    .description('Control plane for OpenStack Swift clusters')
    .version(version)
    .option('--context <name>', 'control plane to call, by the name that "roost context list" shows')
    .addOption(new Option('--color <when>', 'print with colors').choices(colorChoices).default('auto'))
    .option('--no-color', 'print without colors, as with NO_COLOR or --color=never')
    .option('--request-timeout <time>', 'end a call that gets no answer in this time, such as 30s', parseDuration)
    .option('--no-pager', 'print long output without $PAGER')
    .option('-q, --quiet', 'print no progress')
    .showHelpAfterError('Try --help.')
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({ writeOut: (text) => out.write(text), writeErr: (text) => err.write(text) })
    .addHelpText('after', `\n${commandsHelp}`)
    .helpCommand(false)
    .exitOverride()
}

const globalsWithValue: readonly string[] = ['--context', '--color', '--request-timeout']

/** Returns the first argument that is no option and no value of one. */
function commandOf(args: readonly string[]): string | undefined {
  const index = args.findIndex((arg, at) => !arg.startsWith('-') && !globalsWithValue.includes(args[at - 1] ?? ''))
  return args[index]
}
