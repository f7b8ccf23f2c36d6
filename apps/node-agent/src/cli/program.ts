import { candidatesFor, completionScript, manualPage, shells } from '@roost/command-line'
import type { Shell } from '@roost/command-line'
import { Argument, Command, InvalidArgumentError, Option } from 'commander'
import { agentVersion } from '../machine/package.js'

const exitCodesHelp = `
Exit codes: 0 success or stopped, 1 failure, 2 invalid arguments or configuration, 3 node removed by an operator,
4 not enrolled.`

/** Defines the agent's commands. Each has its own file here, which is imported only when it is called. */
export function createProgram(ended: Ended): Command {
  const program = new Command('roost-agent')
    .description('Node agent of Roost: reports this machine and applies gateway configuration')
    .version(agentVersion)
    .option('--data-dir <dir>', 'directory for identity and state (default: /var/lib/roost-agent)')
    .option('--root <dir>', 'root directory of the machine to read (default: /)')
    .option('--config <file>', 'configuration file (default: config.json in the data directory)')
    .addHelpText('after', exitCodesHelp)
    .configureHelp({ showGlobalOptions: true })
    .showHelpAfterError('Try --help.')
    .exitOverride()

  addWork(program, ended)
  addPrints(program, ended)
  addRender(program, ended)
  addGateway(program, ended)
  addProxy(program, ended)
  addStorage(program, ended)
  addReference(program, exitCodesHelp)
  return program
}

type Ended = (exitCode: number) => void

/** Returns the action of a command: imports its function, and ends with the exit code that it returns. */
function calling(load: () => Promise<(flags: never) => Promise<number>>, ended: Ended) {
  return async (_flags: unknown, command: Command) => {
    const run = await load()
    ended(await run(command.optsWithGlobals<never>()))
  }
}

function addWork(program: Command, ended: Ended): void {
  program
    .command('enroll')
    .description('Enroll this machine as a node, with a token from `roost token create`')
    .requiredOption('--server <url>', 'address of the control plane, such as https://roost.example:8443')
    .addOption(new Option('--token <token>', 'enrollment token').env('ROOST_TOKEN').makeOptionMandatory())
    .option('--ca-sha256 <hex>', 'SHA-256 of the public key of the CA (default: trust the CAs of Node.js)')
    .addOption(new Option('--take-place', 'continue as the known node of this hardware').conflicts('newNode'))
    .addOption(new Option('--new-node', 'enroll as a new node even if this hardware is known'))
    .option('--gateway', 'also prepare the share servers of this machine, as `gateway prepare` does')
    .action(calling(async () => (await import('./enroll.js')).enroll, ended))

  program
    .command('run')
    .description('Run the agent in the foreground')
    .option('--server <url>', 'address of the control plane, if it changed since the enrollment')
    .addOption(
      new Option('--log <format>', 'log format (default: pretty on a terminal, else json)').choices(['json', 'pretty']),
    )
    .addOption(
      new Option('--log-level <level>', 'log level').choices(['debug', 'info', 'warn', 'error']).default('info'),
    )
    .action(calling(async () => (await import('./run.js')).run, ended))

  program
    .command('uninstall')
    .description('Show how Roost leaves this machine, its servers and its proxy; apply with --yes')
    .option('--end-shares', 'end the shares that are served, once what clients wrote is in Swift')
    .addOption(waitOption())
    .option('--force', forceHelp)
    .option('--end-users', 'end the logins of users that are deployed to this proxy')
    .option('--restart-proxy', 'also restart the proxy, so that it reads its earlier configuration')
    .option('--restart-servers', 'also restart the storage servers, so that they read their earlier configuration')
    .option('--yes', 'apply the changes, and remove the package with the identity of this node')
    .action(calling(async () => (await import('./prepare/uninstall.js')).uninstall, ended))
}

const forceHelp = 'do not wait for uploads: what is not in Swift stays in the cache, and nothing uploads it'

function waitOption(): Option {
  const help = 'end after so long without an upload while files wait to be uploaded (default: 300)'
  return new Option('--wait <seconds>', help).argParser(integer)
}

/** Returns the option for the output format, as in `roost`. */
function outputOption(inJson: string): Option {
  return new Option('-o, --output <format>', `output format; json prints ${inJson}`)
    .choices(['table', 'json'])
    .default('table')
}

/** Adds the commands that read the machine and print the result. */
function addPrints(program: Command, ended: Ended): void {
  program
    .command('collect')
    .description('Print one reading of every metric. Takes a second to compute rates.')
    .addOption(outputOption('units and aggregation rules as well'))
    .action(calling(async () => (await import('./collect.js')).collect, ended))

  program
    .command('inventory')
    .description('Print the inventory of this machine: disks, filesystems, rings, devices')
    .addOption(outputOption('the complete report'))
    .action(calling(async () => (await import('./inventory.js')).inventory, ended))

  program
    .command('doctor')
    .description('Check this agent and suggest fixes for problems')
    .addOption(outputOption('the findings'))
    .action(calling(async () => (await import('./doctor.js')).doctor, ended))

  program
    .command('support-bundle')
    .description('Write what is needed to find a fault to one tar.gz, without passwords and keys')
    .option('--file <file>', 'file to write (default: a new name in the current directory)')
    .action(calling(async () => (await import('./support-bundle.js')).supportBundle, ended))
}

function addRender(program: Command, ended: Ended): void {
  program
    .command('render')
    .description('Print the configuration files of the share servers for a desired state, without writing them')
    .requiredOption('--desired <file>', 'desired state of a gateway as JSON, or - for standard input')
    .addOption(
      new Option('--backend <server>', 'NFS server (default: gateway.nfs of the configuration)').choices([
        'kernel',
        'ganesha',
      ]),
    )
    .addOption(new Option('--generation <number>', 'generation number in the headers').default(0).argParser(integer))
    .option('--check', 'also check the files with testparm and, as root, exportfs')
    .addOption(outputOption('the files'))
    .action(calling(async () => (await import('./render.js')).render, ended))
}

function addGateway(program: Command, ended: Ended): void {
  const gateway = program.command('gateway').description('Prepare this machine for serving shares')
  gateway
    .command('prepare')
    .description('Show the changes that let Samba and nfs-ganesha read the files of Roost; apply them with --yes')
    .option('--yes', 'apply the changes, with a backup of each file')
    .action(calling(async () => (await import('./prepare/gateway-prepare.js')).gatewayPrepare, ended))
  gateway
    .command('leave')
    .description('Show how to undo the changes of prepare; apply with --yes. Refused while shares are served.')
    .option('--end-shares', 'end the shares that this machine still serves, once what clients wrote is in Swift')
    .addOption(waitOption())
    .option('--force', forceHelp)
    .option('--yes', 'apply the changes')
    .action(calling(async () => (await import('./prepare/gateway-leave.js')).gatewayLeave, ended))
}

function addProxy(program: Command, ended: Ended): void {
  const proxy = program.command('proxy').description('Prepare the proxy of Swift on this machine for users and usage')
  proxy
    .command('prepare')
    .description('Show the changes that the proxy and the agent need, with diffs; apply them with --yes')
    .option(
      '--access-log <how>',
      'how the agent reads the access log: rsyslog, udp, none, or the path of a file that has it (default: rsyslog where it is installed, else udp)',
      accessLogChoice,
    )
    .option('--restart-proxy', 'also restart or reload the proxy, so that it reads the changes')
    .option('--yes', 'apply the changes, with a backup of each file')
    .action(calling(async () => (await import('./prepare/proxy-prepare.js')).proxyPrepare, ended))
  proxy
    .command('leave')
    .description('Show how to undo the changes of prepare; apply with --yes. Refused while users are deployed.')
    .option('--end-users', 'end the logins of users that are deployed to this proxy')
    .option('--restart-proxy', 'also restart the proxy, so that it reads its earlier configuration')
    .option('--yes', 'apply the changes')
    .action(calling(async () => (await import('./prepare/proxy-leave.js')).proxyLeave, ended))
}

function addStorage(program: Command, ended: Ended): void {
  const storage = program.command('storage').description('Have the storage servers of Swift send their statistics here')
  storage
    .command('prepare')
    .description('Show the changes of account, container and object servers, with diffs; apply them with --yes')
    .option('--restart-servers', 'also restart these servers and their daemons, so that they read the changes')
    .option('--yes', 'apply the changes, with a backup of each file')
    .action(calling(async () => (await import('./prepare/storage.js')).storagePrepare, ended))
  storage
    .command('leave')
    .description('Show how to undo the changes of prepare; apply with --yes')
    .option('--restart-servers', 'also restart these servers, so that they read their earlier configuration')
    .option('--yes', 'apply the changes')
    .action(calling(async () => (await import('./prepare/storage.js')).storageLeave, ended))
}

/** Adds the commands that describe all commands: manual page and completion. */
function addReference(program: Command, appendix: string): void {
  program
    .command('man')
    .description('Print the manual page: roost-agent man | man -l -')
    .action(() => void process.stdout.write(manualPage(program, appendix)))
  program
    .command('completion')
    .description('Print the script that completes commands and options in a shell')
    .addArgument(new Argument('<shell>').choices(shells))
    .action((shell: Shell) => void process.stdout.write(completionScript(shell, 'roost-agent')))
  program
    .command('complete [arguments...]', { hidden: true })
    .description('Print what completes the last argument')
    .action(async (args: string[]) => {
      const found = await candidatesFor(program, args, async () => [])
      process.stdout.write(found.map((candidate) => `${candidate}\n`).join(''))
    })
}

function accessLogChoice(text: string): string {
  if (['rsyslog', 'udp', 'none'].includes(text) || text.startsWith('/')) return text
  throw new InvalidArgumentError('Use rsyslog, udp, none or an absolute path.')
}

function integer(text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw new InvalidArgumentError('Use a whole number.')
  return Number(text)
}
