import { resolve } from 'node:path'
import { Option } from 'commander'
import type { Command } from 'commander'
import type { ArchiveFile } from '../backup/archive.js'
import type { Config } from '../config.js'
import type { AsOwner } from './as-owner.js'
import type { Terminal } from './terminal/terminal.js'

// Loaded only when one of them runs, to keep other commands fast.
const commands = () => import('./local-data-commands.js')

interface ArchiveOptions {
  readonly descriptor?: string
}

interface RestoreOptions extends ArchiveOptions {
  readonly force?: boolean
  readonly keepHistory?: boolean
}

/** Adds the commands for stored data. Root runs them as the owner of the data directory. */
export function addLocalData(local: Command, config: () => Config, terminal: Terminal): void {
  const runAsOwner = async (asOwner: (owner: AsOwner) => Promise<void>, directly: () => Promise<void>) => {
    const { asOwnerOf } = await import('./as-owner.js')
    const owner = await asOwnerOf(config(), terminal)
    await (owner === undefined ? directly() : asOwner(owner))
  }
  local
    .command('backup <file>')
    .description('Back up the database and the keys to one file. The control plane may be running.')
    .option('--with-history', 'include the history of metrics, which makes the file much larger')
    .addHelpText('after', '\nThe file gives access to every secret of Roost. Protect it like the machine itself.')
    .addOption(descriptorOption())
    .action((file: string, { withHistory = false, ...options }: ArchiveOptions & { readonly withHistory?: boolean }) =>
      runAsOwner(
        (owner) => owner.backup(file, withHistory ? ['--with-history'] : []),
        async () => (await commands()).backup(config(), archiveOf(file, options), withHistory, terminal),
      ),
    )
  local
    .command('restore <file>')
    .description('Restore the data directory and the database from a backup. The control plane must be stopped.')
    .option('--force', 'replace existing data')
    .option('--keep-history', 'leave the history of metrics that the database has; for a backup of this installation')
    .addOption(descriptorOption())
    .action((file: string, { force = false, keepHistory = false, ...options }: RestoreOptions) =>
      runAsOwner(
        (owner) => owner.restore(file, [...(force ? ['--force'] : []), ...(keepHistory ? ['--keep-history'] : [])]),
        async () => (await commands()).restore(config(), archiveOf(file, options), { force, keepHistory }, terminal),
      ),
    )
  for (const { name, description, run } of withoutArguments)
    local
      .command(name)
      .description(description)
      .action(() =>
        runAsOwner(
          (owner) => owner.run([name]),
          async () => run(await commands(), config(), terminal),
        ),
      )
}

type Commands = Awaited<ReturnType<typeof commands>>

const withoutArguments: readonly {
  readonly name: string
  readonly description: string
  readonly run: (from: Commands, config: Config, terminal: Terminal) => Promise<void>
}[] = [
  {
    name: 'reset-admin',
    description: 'Create a new key for the operator admin and store it in the data directory',
    run: ({ resetAdmin }, config, terminal) => resetAdmin(config, terminal),
  },
  {
    name: 'rotate-secrets-key',
    description: 'Rotate the key that encrypts stored passwords. The control plane must be stopped.',
    run: ({ rotateSecretsKey }, config, terminal) => rotateSecretsKey(config, terminal),
  },
  {
    name: 'reset-secrets-key',
    description:
      'Replace a lost secrets.key. Stored passwords must then be set again. The control plane must be stopped.',
    run: ({ resetSecretsKey }, config, terminal) => resetSecretsKey(config, terminal),
  },
]

/** Returns the hidden option for the process that root starts as the owner. */
function descriptorOption(): Option {
  return new Option('--descriptor <number>', 'file descriptor of the open archive').hideHelp()
}

function archiveOf(file: string, { descriptor }: ArchiveOptions): ArchiveFile {
  return { path: resolve(file), ...(descriptor === undefined ? {} : { descriptor: Number(descriptor) }) }
}
