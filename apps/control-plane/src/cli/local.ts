import type { Command } from 'commander'
import type { Config } from '../config.js'
import { addAuthority } from './authority.js'
import { addCertificate } from './certificates/certificate.js'
import { addLocalData } from './local-data.js'
import type { ServeFlags, StartServer } from './serve-options.js'
import type { Terminal } from './terminal/terminal.js'

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
  ROOST_BACKUP_COPY                  shell command of the backup's timer that copies the file "$1" to another machine
  ROOST_ALERT_NETWORKS               addresses and networks beyond the internet that alerts may be sent to
  ROOST_HEARTBEAT_URL                URL that is called each minute while alerts are evaluated
  ROOST_HISTORY                      on or off: the history of metrics (on)
  ROOST_HISTORY_RAW_HOURS            retention of readings, in hours (48)
  ROOST_HISTORY_5MIN_DAYS            retention of means of five minutes, in days (60)
  ROOST_HISTORY_HOUR_DAYS            retention of means of an hour, in days (800)
  ROOST_HISTORY_MAX_GB               the most that the history may use (20)
  ROOST_REMOTE_WRITE_URL             URL of a server of remote_write that gets the history
  ROOST_REMOTE_WRITE_CREDENTIALS_FILE  file with user:password or a token for it
  ROOST_REMOTE_WRITE_CA_FILE         PEM of the authority to trust for it
  ROOST_USAGE_RETENTION_DAYS         retention of utilization, in days (397)
  ROOST_AUDIT_RETENTION_DAYS         retention of the audit log, in days (400)
  ROOST_JOB_RETENTION_DAYS           retention of finished deployments, in days (90)
  ROOST_IDEMPOTENCY_RETENTION_HOURS  retention of answers to requests with an Idempotency-Key, in hours (24)`

/** Adds the commands for the machine of the control plane. `startServer` is passed: it takes half a second to load. */
export function addLocal(program: Command, config: () => Config, terminal: Terminal, startServer: StartServer): void {
  const local = program.command('local').description('Manage the control plane on its own machine')
  addAuthority(local, config, terminal)
  addCertificate(local, config, terminal)
  addLocalData(local, config, terminal)
  local
    .command('serve')
    .description('Run the control plane in the foreground')
    .option('--agent <path>', 'also run this agent program for this machine')
    .addHelpText('after', `\n${variablesHelp}`)
    .action(async (options: ServeFlags) => {
      const { serve } = await import('./serve.js')
      await serve(config(), { ...options, startServer }, terminal)
    })
}
