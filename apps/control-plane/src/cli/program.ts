import { Command } from 'commander'
import { readConfig } from '../config.js'
import { addAuthority } from './authority.js'
import { addClusters } from './clusters.js'
import { addDevices } from './devices.js'
import { addDoctor } from './doctor/doctor.js'
import { addKeys } from './keys.js'
import { addLocalData } from './local-data.js'
import { addNodes } from './nodes.js'
import { addOperators } from './operators.js'
import { addPackages } from './packages.js'
import type { ServeFlags, StartServer } from './serve-options.js'
import type { Terminal } from './terminal/terminal.js'
import { addStatus } from './doctor/status.js'
import { addTokens } from './tokens.js'
import { addUsage } from './usage.js'

const variablesHelp = `Variables:
  ROOST_DATA_DIR      directory of the database, the key and the CA (/var/lib/roost for root, else ~/.local/share/roost)
  ROOST_LISTEN        address to listen on, HOST:PORT (127.0.0.1:8443)
  ROOST_PUBLIC_URL    URL for nodes and users, such as https://roost.example:8443
  ROOST_TLS           auto (own CA), files (with ROOST_TLS_CERT and ROOST_TLS_KEY) or off
  ROOST_BEHIND_PROXY  addresses and networks of reverse proxies; 1: a proxy on this machine; 0: no proxy (0)
  ROOST_LOG_LEVEL     debug, info, warn or error (info)
  DATABASE_URL        URL of your own PostgreSQL instead of the embedded one
  ROOST_DEPLOYMENT_TIMEOUT           timeout of a node in a deployment, in seconds (600)
  ROOST_LOCK_WAIT                    how long a start waits for another Roost to release the database, in seconds (30)
  ROOST_USAGE_RETENTION_DAYS         retention of utilization, in days (397)
  ROOST_AUDIT_RETENTION_DAYS         retention of the audit log, in days (400)
  ROOST_JOB_RETENTION_DAYS           retention of finished deployments, in days (90)
  ROOST_IDEMPOTENCY_RETENTION_HOURS  retention of answers to requests with an Idempotency-Key, in hours (24)`

const commandsHelp = `All commands except "local" and "packages" call the API of the control plane that runs on ROOST_DATA_DIR, with the key in its file
admin.apikey. For another control plane, set ROOST_URL (https://roost.example:8443), ROOST_API_KEY (NAME:KEY) and ROOST_CA, a
copy of its ca.pem.

Exit codes: 0 success, 1 failure, 2 invalid arguments or variables, 3 not found, 4 conflict with the current state,
6 missing or insufficient credentials, 7 timeout, 8 a cluster warns, 9 a cluster is critical (status).`

/** Builds the commands. `startServer` is passed, because the server takes half a second to load, which only `local serve` needs. */
export function createProgram(terminal: Terminal, version: string, startServer: StartServer): Command {
  const program = new Command('roost')
    .description('Control plane for OpenStack Swift clusters')
    .version(version)
    .showHelpAfterError('Try --help.')
    .configureOutput({
      writeOut: (text) => terminal.out.write(text),
      writeErr: (text) => terminal.err.write(text),
    })
    .addHelpText('after', `\n${commandsHelp}`)
    .exitOverride()
  addStatus(program, readConfig, terminal)
  addClusters(program, readConfig, terminal)
  addNodes(program, readConfig, terminal)
  addDevices(program, readConfig, terminal)
  addTokens(program, readConfig, terminal)
  addPackages(program, readConfig, terminal)
  addUsage(program, readConfig, terminal)
  addOperators(program, readConfig, terminal)
  addKeys(program, readConfig, terminal)
  addDoctor(program, readConfig, terminal)
  const local = program.command('local').description('Manage the control plane on its own machine')
  addAuthority(local, readConfig, terminal)
  addLocalData(local, readConfig, terminal)
  local
    .command('serve')
    .description('Run the control plane in the foreground')
    .option('--agent <path>', 'also run this agent program for this machine')
    .addHelpText('after', `\n${variablesHelp}`)
    .action(async (options: ServeFlags) => {
      const config = readConfig()
      const { serve } = await import('./serve.js')
      await serve(config, { ...options, startServer }, terminal)
    })
  return program
}
