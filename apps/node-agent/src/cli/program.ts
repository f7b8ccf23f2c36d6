import { Command, InvalidArgumentError, Option } from 'commander'
import type { EnrolFlags, PrepareFlags, LeaveFlags, RunFlags, PrintFlags, RenderFlags } from './flags.js'
import { agentVersion } from '../machine/version.js'

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
    .configureHelp({ showGlobalOptions: true })
    .showHelpAfterError('Try --help.')
    .exitOverride()

  addWork(program, ended)
  addPrints(program, ended)
  addRender(program, ended)
  addGateway(program, ended)
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
    .option('--gateway', 'let the servers of shares on this machine read the files of Roost, see `gateway prepare`')
    .action(async (_flags, command: Command) => {
      const { enroll } = await import('./enroll.js')
      ended(await enroll(command.optsWithGlobals<EnrolFlags>()))
    })

  program
    .command('run')
    .description('read this machine and report it until told to stop')
    .option('--server <url>', 'where the control plane is now, when it has moved since the enrolment')
    .addOption(new Option('--log <format>', 'pretty on a terminal, else json').choices(['json', 'pretty']))
    .addOption(
      new Option('--log-level <level>', 'what goes to the log')
        .choices(['debug', 'info', 'warn', 'error'])
        .default('info'),
    )
    .action(async (_flags, command: Command) => {
      const { run } = await import('./run.js')
      ended(await run(command.optsWithGlobals<RunFlags>()))
    })
}

/** As of `roost`; `json` is for programs. */
function outputOption(inJson: string): Option {
  return new Option('-o, --output <format>', `how to print; json is ${inJson}`)
    .choices(['table', 'json'])
    .default('table')
}

/** Commands that look at the machine and print what they see. */
function addPrints(program: Command, ended: Ended): void {
  program
    .command('collect')
    .description('print one reading of every metric; takes a second, for the rates')
    .addOption(outputOption('with units and aggregation rules'))
    .action(async (_flags, command: Command) => {
      const { collect } = await import('./collect.js')
      ended(await collect(command.optsWithGlobals<PrintFlags>()))
    })

  program
    .command('inventory')
    .description('print what the agent reports of this machine: disks, filesystems, rings, devices')
    .addOption(outputOption('the whole report'))
    .action(async (_flags, command: Command) => {
      const { inventory } = await import('./inventory.js')
      ended(await inventory(command.optsWithGlobals<PrintFlags>()))
    })

  program
    .command('doctor')
    .description('check what the agent needs, and say what to do about each fault')
    .addOption(outputOption('the findings'))
    .action(async (_flags, command: Command) => {
      const { doctor } = await import('./doctor.js')
      ended(await doctor(command.optsWithGlobals<PrintFlags>()))
    })
}

function addRender(program: Command, ended: Ended): void {
  program
    .command('render')
    .description("print every file of a gateway's servers for given shares; changes nothing")
    .requiredOption('--desired <file>', 'the desired state of the kind gateway, as JSON; - reads it from the input')
    .addOption(
      new Option('--backend <server>', 'the NFS server (default: gateway.nfs of the configuration)').choices([
        'kernel',
        'ganesha',
      ]),
    )
    .addOption(new Option('--generation <number>', 'for the headers').default(0).argParser(wholeNumber))
    .option('--check', "let Samba's own testparm, and as root nfs-utils' exportfs, read their files")
    .addOption(outputOption('the files'))
    .action(async (_flags, command: Command) => {
      const { render } = await import('./render.js')
      ended(await render(command.optsWithGlobals<RenderFlags>()))
    })
}

function addGateway(program: Command, ended: Ended): void {
  const gateway = program.command('gateway').description('what a machine that serves shares needs')
  gateway
    .command('prepare')
    .description('let Samba and nfs-ganesha read the files of shares: says what that takes, and does it with --yes')
    .option('--yes', 'do it, with a backup of each file that is changed')
    .action(async (_flags, command: Command) => {
      const { gatewayPrepare } = await import('./gateway-prepare.js')
      ended(await gatewayPrepare(command.optsWithGlobals<PrepareFlags>()))
    })
  gateway
    .command('leave')
    .description('take that back: says what that takes, and does it with --yes; refused while shares are served')
    .option('--end-shares', 'end the shares that are still served from this machine')
    .option('--yes', 'do it')
    .action(async (_flags, command: Command) => {
      const { gatewayLeave } = await import('./gateway-leave.js')
      ended(await gatewayLeave(command.optsWithGlobals<LeaveFlags>()))
    })
}

function wholeNumber(text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw new InvalidArgumentError('Give a whole number.')
  return Number(text)
}
