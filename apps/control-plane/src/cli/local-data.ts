import { resolve } from 'node:path'
import { Option } from 'commander'
import type { Command } from 'commander'
import type { ArchiveFile } from '../backup/archive.js'
import type { Config } from '../config.js'
import type { AsOwner } from './as-owner.js'
import type { Terminal } from './terminal/terminal.js'

// Loaded when one of them runs: the rest stays quick.
const commands = () => import('./local-data-commands.js')

interface ArchiveOptions {
  readonly descriptor?: string
}

/** Commands about what the control plane keeps. Root runs them as the account that the data directory belongs to. */
export function addLocalData(local: Command, config: () => Config, terminal: Terminal): void {
  const act = async (asOwner: (owner: AsOwner) => Promise<void>, ourselves: () => Promise<void>) => {
    const { asOwnerOf } = await import('./as-owner.js')
    const owner = await asOwnerOf(config(), terminal)
    await (owner === undefined ? ourselves() : asOwner(owner))
  }
  local
    .command('backup <file>')
    .description('Write the database and the keys into one file, also while the control plane runs.')
    .addHelpText('after', '\nThe file opens every secret that Roost keeps: guard it as you guard the machine.')
    .addOption(descriptorOption())
    .action((file: string, options: ArchiveOptions) =>
      act(
        (owner) => owner.backup(file),
        async () => (await commands()).backup(config(), archiveOf(file, options), terminal),
      ),
    )
  local
    .command('restore <file>')
    .description('Put a backup into the data directory and the database, while the control plane is stopped.')
    .option('--force', 'in the place of what is there')
    .addOption(descriptorOption())
    .action((file: string, { force = false, ...options }: ArchiveOptions & { readonly force?: boolean }) =>
      act(
        (owner) => owner.restore(file, force ? ['--force'] : []),
        async () => (await commands()).restore(config(), archiveOf(file, options), force, terminal),
      ),
    )
  local
    .command('reset-admin')
    .description('Make a new key for the operator admin, and keep it in the data directory.')
    .action(() =>
      act(
        (owner) => owner.run(['reset-admin']),
        async () => (await commands()).resetAdmin(config(), terminal),
      ),
    )
  local
    .command('rotate-secrets-key')
    .description('Replace the key that passwords are encrypted with, while the control plane is stopped.')
    .action(() =>
      act(
        (owner) => owner.run(['rotate-secrets-key']),
        async () => (await commands()).rotateSecretsKey(config(), terminal),
      ),
    )
}

/** For the process in which root runs the command as the owner. */
function descriptorOption(): Option {
  return new Option('--descriptor <number>', 'the archive, which is open already').hideHelp()
}

function archiveOf(file: string, { descriptor }: ArchiveOptions): ArchiveFile {
  return { path: resolve(file), ...(descriptor === undefined ? {} : { descriptor: Number(descriptor) }) }
}
