import { createLog, errorText, systemClock } from '@roost/runtime'
import { readConfig } from '../../config.js'
import { agentVersion, programFolder } from '../../machine/package.js'
import { runCommand } from '../../machine/run-command.js'
import { findInstallation } from '../installation.js'
import { upgradePaths } from '../upgrade-files.js'
import { runHelper } from './helper.js'
import { packageManager } from './package-managers.js'
import { explainSilence } from './explain-silence.js'
import { trustedSettings } from './trusted-settings.js'

// The program of roost-agent-upgrade.service, which runs as root and does nothing else.
const log = createLog({ format: 'pretty', level: 'info', write: (line) => process.stdout.write(line) })
try {
  await main()
} catch (error) {
  process.stderr.write(`${errorText(error)}\n`)
  process.exitCode = 1
}

async function main(): Promise<void> {
  const config = readConfig()
  const installation = await findInstallation(programFolder, agentVersion, runCommand)
  if (installation === undefined) throw new Error(`${programFolder} was not installed from a package of Roost.`)
  await runHelper({
    paths: upgradePaths(config.dataDir),
    installation,
    settings: await trustedSettings(config, installation.version),
    manager: packageManager(installation.format, { run: runCommand, clock: systemClock }),
    disk: '/usr/lib',
    explainSilence: () => explainSilence(runCommand),
    clock: systemClock,
    log,
  })
}
