import { readFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join, resolve } from 'node:path'
import {
  bundleName,
  type BundlePart,
  counted,
  describeMachine,
  listSizes,
  readJournal,
  readUnitStates,
  writeBundle,
} from '@roost/runtime'
import type { AgentConfig } from '../config.js'
import { readIdentity } from '../machine/identity.js'
import { agentVersion } from '../machine/package.js'
import { CommandError, exitCodes } from './command/command-error.js'
import { diagnose } from './doctor.js'
import type { BundleFlags } from './command/flags.js'

const units = ['roost-agent.service', 'roost-agent-upgrade.service', 'roost-agent-upgrade.path']

/** Writes what another person needs to find a fault of this node. No part has the key of the node or a password. */
export async function supportBundle(flags: BundleFlags): Promise<number> {
  const now = new Date()
  const folder = bundleName('roost-agent', hostname(), now)
  const path = resolve(flags.file ?? `${folder}.tar.gz`)
  const { config, inventory, findings } = await diagnose(flags)
  const parts: readonly BundlePart[] = [
    { file: 'doctor.json', collect: async () => findings },
    { file: 'inventory.json', collect: async () => inventory },
    { file: 'versions.json', collect: async () => ({ 'roost-agent': agentVersion, ...(await describeMachine()) }) },
    // The configuration of the agent has no secrets.
    { file: 'settings.json', collect: async () => config },
    { file: 'enrollment.json', collect: () => enrollment(config) },
    // Names and sizes only: desired states of shares and users have passwords.
    { file: 'state-directory.json', collect: () => listSizes(config.dataDir) },
    { file: 'units.txt', collect: () => readUnitStates(units) },
    { file: 'journal.txt', collect: () => readJournal(units) },
  ]
  const secrets = await secretsOf(config)
  const { files, missing } = await writeBundle({ path, folder, parts, secrets, now }).catch(unwritable(path))
  for (const [file, reason] of Object.entries(missing)) process.stderr.write(`without ${file}: ${reason}\n`)
  process.stdout.write(`wrote ${counted(files.length, 'file')} to ${path}; read them before you send them\n`)
  return exitCodes.ok
}

async function enrollment({ dataDir }: AgentConfig): Promise<object> {
  const identity = await readIdentity(dataDir)
  if (identity === undefined) throw new Error('This machine is not enrolled.')
  return identity.enrollment
}

async function secretsOf({ dataDir }: AgentConfig): Promise<readonly string[]> {
  const text = await readFile(join(dataDir, 'identity.json'), 'utf8').catch(() => '')
  // The lines of the private key, as JSON has them.
  return text.split(/\\n|["\s]/).filter((part) => /^[\w+/=]{32,}$/.test(part))
}

function unwritable(path: string) {
  return ({ code, message }: NodeJS.ErrnoException): never => {
    throw new CommandError(`Cannot write ${path} (${code ?? message}).`, { remedy: 'Use another file with --file.' })
  }
}
