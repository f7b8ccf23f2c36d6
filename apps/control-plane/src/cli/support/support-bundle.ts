import { existsSync } from 'node:fs'
import { hostname } from 'node:os'
import { resolve } from 'node:path'
import { bundleName, counted, writeBundle } from '@roost/runtime'
import type { BundleContents } from '@roost/runtime'
import type { Command } from 'commander'
import type { Config } from '../../config.js'
import { findConnection } from '../client/target.js'
import { diagnose } from '../doctor/doctor.js'
import { CommandError, exitCodes } from '../terminal/exit-codes.js'
import { withProgress } from '../terminal/progress.js'
import type { Progress } from '../terminal/progress.js'
import type { Terminal } from '../terminal/terminal.js'
import { knownSecrets } from './known-secrets.js'
import { apiParts, machineParts } from './parts.js'

/** Adds the command that collects what another person needs to find a fault. */
export function addSupportBundle(program: Command, config: () => Config, terminal: Terminal): void {
  program
    .command('support-bundle [file]')
    .description('Write what is needed to find a fault to one tar.gz, without passwords and keys')
    .addHelpText(
      'after',
      '\nIt contains versions, settings, checks, health, recent jobs and audit events, sizes, and the end of the log. On a node, run "roost-agent support-bundle".',
    )
    .action(async (file: string | undefined) => {
      const now = new Date()
      const folder = bundleName('roost', hostname(), now)
      const path = resolve(file ?? `${folder}.tar.gz`)
      if (existsSync(path)) throw new CommandError(`${path} already exists. Use another file name.`, exitCodes.conflict)
      const contents = await withProgress(terminal, 'checking', (progress) =>
        collect(config, { path, folder, now }, progress),
      )
      report(terminal, path, contents)
    })
}

async function collect(
  config: () => Config,
  { path, folder, now }: { readonly path: string; readonly folder: string; readonly now: Date },
  progress: Progress,
): Promise<BundleContents> {
  const { config: checked, findings } = await diagnose(config)
  const connection = await findConnection(checked)
  const parts = [
    { file: 'doctor.json', collect: async () => findings },
    ...machineParts(checked),
    ...(await apiParts(connection)),
  ].map((part, index, all) => ({
    ...part,
    collect() {
      progress.show(`reading ${part.file}`, (100 * index) / all.length)
      return part.collect()
    },
  }))
  const secrets = await knownSecrets(checked)
  return writeBundle({ path, folder, parts, secrets, now }).catch(({ code, message }: NodeJS.ErrnoException) => {
    throw new CommandError(`Cannot write ${path} (${code ?? message}). Use another file name.`)
  })
}

function report({ out, err }: Terminal, path: string, { files, missing }: BundleContents): void {
  for (const [file, reason] of Object.entries(missing)) err.write(`without ${file}: ${reason}\n`)
  out.write(`wrote ${counted(files.length, 'file')} to ${path}; read them before you send them\n`)
}
