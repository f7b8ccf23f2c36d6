import { Command } from 'commander'
import { readConfig } from '../config.js'
import { addAuthority } from './authority.js'
import { addClusters } from './clusters.js'
import { addDoctor } from './doctor.js'
import { addKeys } from './keys.js'
import { addLocalData } from './local-data.js'
import { addNodes } from './nodes.js'
import { addOperators } from './operators.js'
import type { ServeFlags, StartServer } from './serve-options.js'
import type { Terminal } from './terminal/terminal.js'
import { addTokens } from './tokens.js'

const variablesHelp = `Variables:
  ROOST_DATA_DIR      where the database, the key and the CA are (/var/lib/roost for root, else ~/.local/share/roost)
  ROOST_LISTEN        HOST:PORT to listen on (127.0.0.1:8443)
  ROOST_PUBLIC_URL    how nodes and people reach it, such as https://roost.example:8443
  ROOST_TLS           auto (a CA of its own), files (with ROOST_TLS_CERT and ROOST_TLS_KEY) or off
  ROOST_BEHIND_PROXY  1 when a proxy in front terminates TLS
  ROOST_LOG_LEVEL     debug, info, warn or error (info)
  DATABASE_URL        a PostgreSQL of yours instead of the embedded one
  ROOST_DEPLOYMENT_TIMEOUT           seconds in which a node must answer a deployment (600)
  ROOST_USAGE_RETENTION_DAYS         how long utilization is kept (397)
  ROOST_AUDIT_RETENTION_DAYS         how long the audit is kept (400)
  ROOST_JOB_RETENTION_DAYS           how long ended deployments are kept (90)
  ROOST_IDEMPOTENCY_RETENTION_HOURS  how long answers to repeatable requests are kept (24)`

const commandsHelp = `Commands but those of local call the API of the control plane that runs in ROOST_DATA_DIR, with the key in its
admin.apikey. When none runs there, ROOST_PUBLIC_URL and ROOST_API_KEY (NAME:KEY) name another.

Exit codes: 0 done, 1 failed, 2 wrong arguments or variables, 3 there is no such thing, 4 refused as things are now,
6 no key or one that may not do this, 7 took too long.`

/** Builds the commands. `startServer` is passed, because the server takes half a second to load, which only `local serve` needs. */
export function createProgram(terminal: Terminal, version: string, startServer: StartServer): Command {
  const program = new Command('roost')
    .description('Roost, a control plane for OpenStack Swift clusters.')
    .version(version)
    .showHelpAfterError('Try --help.')
    .configureOutput({
      writeOut: (text) => terminal.out.write(text),
      writeErr: (text) => terminal.err.write(text),
    })
    .addHelpText('after', `\n${commandsHelp}`)
    .exitOverride()
  addClusters(program, readConfig, terminal)
  addNodes(program, readConfig, terminal)
  addTokens(program, readConfig, terminal)
  addOperators(program, readConfig, terminal)
  addKeys(program, readConfig, terminal)
  addDoctor(program, readConfig, terminal)
  const local = program.command('local').description('What is done on the control plane’s own machine.')
  addAuthority(local, readConfig, terminal)
  addLocalData(local, readConfig, terminal)
  local
    .command('serve')
    .description('Run the control plane in the foreground.')
    .option('--agent <path>', 'also run this agent program, for this machine')
    .addHelpText('after', `\n${variablesHelp}`)
    .action(async (options: ServeFlags) => {
      const config = readConfig()
      const { serve } = await import('./serve.js')
      await serve(config, { ...options, startServer }, terminal)
    })
  return program
}
