import { counted } from '@roost/runtime'
import type { Command } from 'commander'
import type { Config } from '../config.js'
import { CommandError } from './terminal/exit-codes.js'
import { bytes } from './terminal/cells.js'
import { print, withOutput } from './terminal/output.js'
import type { OutputOptions, View } from './terminal/output.js'
import { withProgress } from './terminal/progress.js'
import type { Terminal } from './terminal/terminal.js'
import type { Package } from '../packages/list.js'

const view: View<Package> = {
  columns: {
    FILE: ({ file }) => file,
    VERSION: ({ version }) => version,
    ARCH: ({ arch }) => arch,
    SIZE: (each) => bytes(each.bytes),
    SIGNED: ({ signature }) => (signature === undefined ? 'no' : 'yes'),
    SHA256: ({ sha256 }) => sha256,
    PATH: ({ path }) => path,
  },
  name: ({ file }) => file,
}

// Loaded only when one of them runs, to keep other commands fast.
const ownFiles = () => import('../packages/own-files.js')

/** Adds the commands for the packages that the control plane of this machine offers to new nodes. */
export function addPackages(program: Command, config: () => Config, terminal: Terminal): void {
  const { out } = terminal
  const packages = program
    .command('packages')
    .description("Manage the agent's packages, which new nodes get from the control plane of this machine")
  withOutput(packages.command('list'))
    .description('List the packages that it offers')
    .action(async (options: OutputOptions) => {
      const [{ createPackages }, { packageFolders }] = await Promise.all([
        import('../packages/list.js'),
        import('../packages/files.js'),
      ])
      await print(terminal, await createPackages(packageFolders(config().dataDir)).list(), view, options)
    })
  packages
    .command('add <files...>')
    .description('Copy packages into the data directory, each with its signature (FILE.sig) if it is there')
    .action(async (files: string[]) => {
      const own = await ownFiles()
      await orCommandError(async () => {
        const added = await withProgress(terminal, `copying ${counted(files.length, 'package')}`, () =>
          own.addPackages(config().dataDir, files),
        )
        for (const target of added) out.write(`added ${target}\n`)
      })
    })
  packages
    .command('remove <file>')
    .description('Remove a package that was added')
    .action(async (file: string) => {
      const own = await ownFiles()
      await orCommandError(() => own.removePackage(config().dataDir, file))
      out.write(`removed ${file}\n`)
    })
}

async function orCommandError(work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    const { PackageError } = await ownFiles()
    throw error instanceof PackageError ? new CommandError(error.message) : error
  }
}
