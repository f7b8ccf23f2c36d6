import { Command, Option } from 'commander'
import { agentVersion } from '../version.js'

/** Flags of every command. `--data-dir` defaults to ROOST_AGENT_DATA_DIR, then to /var/lib/roost-agent. */
export interface GlobalFlags {
  readonly dataDir?: string
  /** A prefix before every path of the machine that the agent reads. */
  readonly root?: string
  /** The agent's configuration file. */
  readonly config?: string
}

export interface EnrolFlags extends GlobalFlags {
  readonly server: string
  readonly token: string
  readonly caSha256?: string
  readonly takePlace?: boolean
  readonly newNode?: boolean
}

export interface RunFlags extends GlobalFlags {
  readonly server?: string
  readonly log?: 'json' | 'pretty'
  readonly logLevel: 'debug' | 'info' | 'warn' | 'error'
}

export interface PrintFlags extends GlobalFlags {
  readonly json?: boolean
}

const exitCodesHelp = `
Exit codes: 0 done or asked to stop, 1 failed, 2 wrong arguments or configuration, 3 an operator removed this node,
4 not enrolled.`

/** The agent's commands: each lives in its own file here, and is imported only when it is called. */
export function createProgram(ended: Ended): Command {
  const program = new Command('roost-agent')
    .description('Reads this machine and reports it to a Roost control plane.')
    .version(agentVersion)
    .option('--data-dir <dir>', 'where the agent keeps its identity and state (default: /var/lib/roost-agent)')
    .option('--root <dir>', 'read the machine below this directory (default: /)')
    .option('--config <file>', "the agent's configuration file (default: config.json in the data directory)")
    .addHelpText('after', exitCodesHelp)
    .exitOverride()

  addWork(program, ended)
  addPrints(program, ended)
  return program
}

type Ended = (exitCode: number) => void

function addWork(program: Command, ended: Ended): void {
  program
    .command('enroll')
    .description('make this machine a node of a cluster, with a token from `roost token create`')
    .requiredOption('--server <url>', 'address of the control plane, such as https://roost.example:8443')
    .requiredOption('--token <token>', 'the enrolment token')
    .option('--ca-sha256 <hex>', "SHA-256 of the authority's public key; without it, Node's own authorities must vouch")
    .addOption(new Option('--take-place', 'go on as the node that this hardware was before').conflicts('newNode'))
    .addOption(new Option('--new-node', 'be a new node, although this hardware is known'))
    .action(async (_flags, command: Command) => {
      const { enroll } = await import('./enroll.js')
      ended(await enroll(command.optsWithGlobals<EnrolFlags>()))
    })

  program
    .command('run')
    .description('read this machine and report it until told to stop')
    .option('--server <url>', 'where the control plane is now, when it has moved since the enrolment')
    .addOption(new Option('--log <format>', 'pretty on a terminal, else json').choices(['json', 'pretty']))
    .addOption(new Option('--log-level <level>').choices(['debug', 'info', 'warn', 'error']).default('info'))
    .action(async (_flags, command: Command) => {
      const { run } = await import('./run.js')
      ended(await run(command.optsWithGlobals<RunFlags>()))
    })
}

/** Commands that look at the machine and print what they see. */
function addPrints(program: Command, ended: Ended): void {
  program
    .command('collect')
    .description('print one reading of every metric; takes a second, for the rates')
    .option('--json', 'print JSON with units and aggregation rules')
    .action(async (_flags, command: Command) => {
      const { collect } = await import('./collect.js')
      ended(await collect(command.optsWithGlobals<PrintFlags>()))
    })

  program
    .command('inventory')
    .description('print what the agent reports of this machine: disks, filesystems, rings, devices')
    .option('--json', 'print the whole report as JSON')
    .action(async (_flags, command: Command) => {
      const { inventory } = await import('./inventory.js')
      ended(await inventory(command.optsWithGlobals<PrintFlags>()))
    })

  program
    .command('doctor')
    .description('check what the agent needs, and say what to do about each fault')
    .option('--json', 'print the findings as JSON')
    .action(async (_flags, command: Command) => {
      const { doctor } = await import('./doctor.js')
      ended(await doctor(command.optsWithGlobals<PrintFlags>()))
    })
}
