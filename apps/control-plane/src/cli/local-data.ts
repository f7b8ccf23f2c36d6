import type { Command } from 'commander'
import type { Config } from '../config.js'
import type { Terminal } from './program.js'

// Loaded when one of them runs: the rest stays quick.
const commands = () => import('./local-data-commands.js')

/** Commands about what the control plane keeps. */
export function addLocalData(local: Command, config: () => Config, terminal: Terminal): void {
  local
    .command('backup <file>')
    .description('Write the database and the keys into one file, also while the control plane runs.')
    .addHelpText('after', '\nThe file opens every secret that Roost keeps: guard it as you guard the machine.')
    .action(async (file: string) => (await commands()).backup(config(), file, terminal))
  local
    .command('restore <file>')
    .description('Put a backup into the data directory and the database, while the control plane is stopped.')
    .option('--force', 'in the place of what is there')
    .action(async (file: string, { force = false }: { readonly force?: boolean }) =>
      (await commands()).restore(config(), file, force, terminal),
    )
  local
    .command('reset-admin')
    .description('Make a new key for the operator admin, and keep it in the data directory.')
    .action(async () => (await commands()).resetAdmin(config(), terminal))
  local
    .command('rotate-secrets-key')
    .description('Replace the key that passwords are encrypted with, while the control plane is stopped.')
    .action(async () => (await commands()).rotateSecretsKey(config(), terminal))
}
