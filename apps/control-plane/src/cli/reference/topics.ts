import type { Variable } from '../../config.js'
import { exitCodes } from '../terminal/exit-codes.js'

/** Texts of `roost help` that belong to no single command. */
export const topics = {
  'exit-codes': { description: 'what each exit code means, for scripts', text: describeExitCodes },
  environment: { description: 'the variables that roost reads', text: describeVariables },
} as const

export function isTopic(name: string): name is keyof typeof topics {
  return Object.hasOwn(topics, name)
}

const meanings: Readonly<Record<keyof typeof exitCodes, string>> = {
  error: 'failed: the message on standard error has the reason',
  usage: 'invalid arguments, variables, files or values; nothing was changed',
  notFound: 'a record, context or file that was named does not exist',
  conflict: 'conflict with the current state: it exists already, is in use, or changed meanwhile',
  partly: 'partly done: apply, and deploy and job wait where some of the nodes have applied it',
  unauthorized: 'missing or insufficient credentials',
  timeout: 'time ran out: --request-timeout, or --wait of deploy, job wait and node upgrade, which run on',
  warning: 'status: a cluster warns',
  critical: 'status: a cluster is critical',
  declined: 'a question was not answered with yes; nothing was changed',
  historyDiffers:
    'local restore --keep-history: the history in the database does not fit the backup; nothing was changed',
}

function describeExitCodes(): string {
  const rows = Object.entries(meanings).map(([name, text]) => [exitCodes[name as keyof typeof exitCodes], text])
  return `Exit codes of roost:

${listOf([[0, 'success'], ...rows.map(([code, text]) => [code ?? '', text ?? ''] as const)])}
With -o json the message is JSON on standard error: {"error": "…", "exit_code": 3}.
`
}

type Group = Readonly<Partial<Record<Variable, string>>>

/** The variables of the command line, in the order in which one is stronger than the next. */
const ofCommands = {
  ROOST_CONTEXT: 'the context of "roost login" to use, as --context, which is stronger',
  ROOST_URL: 'the control plane to call, such as https://roost.example:8443',
  ROOST_API_KEY: 'the key to call it with, as NAME:KEY',
  ROOST_CA: 'a copy of its ca.pem, to trust',
  ROOST_DATA_DIR: 'the data directory of a control plane on this machine, with its key and authority',
} as const satisfies Group

const ofServer: Readonly<Record<Exclude<Variable, keyof typeof ofCommands>, string>> = {
  ROOST_LISTEN: 'HOST:PORT to listen on; 127.0.0.1:8443',
  ROOST_PUBLIC_URL: 'the URL that nodes and people use; default: the listen address',
  ROOST_TLS: "auto (certificates of Roost's own authority), files or off",
  ROOST_TLS_CERT: 'with files: the certificate',
  ROOST_TLS_KEY: 'with files: its key',
  ROOST_BEHIND_PROXY: 'addresses of the proxies in front; 1: one on this machine',
  DATABASE_URL: 'a PostgreSQL of yours; default: an embedded one',
  ROOST_LOG_LEVEL: 'debug, info, warn or error',
  ROOST_LOCK_WAIT: 'seconds to wait for another control plane to leave the database; 30',
  ROOST_DEPLOYMENT_TIMEOUT: 'seconds in which a node must answer a deployment; 600',
  ROOST_BACKUP_COPY: 'a shell command that copies the backup $1 to another machine',
  ROOST_ALERT_NETWORKS: 'networks beyond the internet that alerts may be sent to',
  ROOST_HEARTBEAT_URL: 'a URL that is called each minute while alerts are evaluated',
  ROOST_REMOTE_WRITE_URL: 'a server that gets the history by remote_write',
  ROOST_REMOTE_WRITE_CREDENTIALS_FILE: 'its user:password',
  ROOST_REMOTE_WRITE_CA_FILE: 'the authorities to trust for it',
  ROOST_HISTORY: 'on or off: the history of metrics',
  ROOST_HISTORY_RAW_HOURS: 'hours for which its readings are kept; 48',
  ROOST_HISTORY_5MIN_DAYS: 'days for which values of five minutes are kept; 60',
  ROOST_HISTORY_HOUR_DAYS: 'days for which values of an hour are kept; 800',
  ROOST_HISTORY_MAX_GB: 'its largest size; 20',
  ROOST_USAGE_RETENTION_DAYS: 'days for which usage by half-hour is kept; 397',
  ROOST_AUDIT_RETENTION_DAYS: 'days for which the audit is kept; 400',
  ROOST_JOB_RETENTION_DAYS: 'days for which ended jobs are kept; 90',
  ROOST_IDEMPOTENCY_RETENTION_HOURS: 'hours for which answers to an Idempotency-Key are kept; 24',
}

const ofShell = {
  NO_COLOR: 'if set, no colors; --color=always is stronger',
  PAGER: 'shows output that is longer than the screen; default: less; cat: none',
  TERM: 'without it, or if it is dumb, there are no colors and no pager',
  XDG_CONFIG_HOME: 'the folder of roost/contexts.json; default: ~/.config',
} as const

function describeVariables(): string {
  return `Variables of commands that call a control plane. Without them, the current context is used, and without one the data directory:

${listOf(Object.entries(ofCommands))}
Variables of every command:

${listOf(Object.entries(ofShell))}
Variables of the control plane itself ("roost local serve"), which the service reads from /etc/roost/environment:

${listOf(Object.entries(ofServer))}
An empty variable counts as not set. An unknown variable ROOST_… ends the command with exit code 2.
`
}

function listOf(rows: readonly (readonly [name: string | number, text: string | number])[]): string {
  const width = Math.max(...rows.map(([name]) => String(name).length))
  return rows.map(([name, text]) => `  ${String(name).padEnd(width)}  ${text}\n`).join('')
}
