import type { Command } from 'commander'
import type { Terminal } from './terminal.js'

/**
 * THE LIST of commands whose writes `--dry-run` has the server only check. `api`, `apply`, `deploy` and `node upgrade` have
 * an option of their own; other commands do not call the API.
 */
const writingCommands: readonly string[] = [
  'cluster add',
  'cluster rename',
  'cluster remove',
  'cluster set-storage',
  'cluster unset-storage',
  'cluster set-identity',
  'cluster unset-identity',
  'node approve',
  'node revoke',
  'node enable',
  'node disable',
  'node set',
  'node maintenance',
  'node remove',
  'share add',
  'share set',
  'share enable',
  'share disable',
  'share remove',
  'share remove-leftovers',
  'user add',
  'user set',
  'user enable',
  'user disable',
  'user remove',
  'user adopt',
  'user s3 add',
  'user s3 remove',
  'alert ack',
  'alert rule add',
  'alert rule set',
  'alert rule enable',
  'alert rule disable',
  'alert rule remove',
  'alert metric-rule add',
  'alert metric-rule set',
  'alert metric-rule enable',
  'alert metric-rule disable',
  'alert metric-rule remove',
  'alert silence add',
  'alert silence extend',
  'alert silence end',
  'alert receiver add',
  'alert receiver set',
  'alert receiver enable',
  'alert receiver disable',
  'alert receiver remove',
  'job cancel',
  'job confirm',
  'drift adopt',
  'drift reapply',
  'device remove',
  'token create',
  'token revoke',
  'upgrade cancel',
  'usage remove',
  'session end',
  'operator add',
  'operator role',
  'operator enable',
  'operator disable',
  'operator remove',
  'key create',
  'key rotate',
  'key revoke',
]

/** Adds `--dry-run` to the commands of the list that are loaded. */
export function addDryRun(program: Command, { err, style }: Pick<Terminal, 'err' | 'style'>): void {
  for (const path of writingCommands) {
    const command = commandAt(program, path.split(' '))
    command?.option('--dry-run', 'have the server check the change, and change nothing')
    command?.hook('preAction', (_this, action) => {
      if (action.opts<{ readonly dryRun?: boolean }>().dryRun !== true) return
      style.isDryRun = true
      err.write('Dry run: the server only checks this. Nothing is changed.\n')
    })
  }
}

function commandAt(program: Command, names: readonly string[]): Command | undefined {
  let command: Command | undefined = program
  for (const name of names) command = command?.commands.find((one) => one.name() === name)
  return command
}
