import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { failedChecks, type Finding, readUnit, renderFindings, type Unit } from '@roost/runtime'
import type { Command } from 'commander'
import { type Config, readConfig, setVariables } from '../../config.js'
import { readInstance } from '../../lifecycle/instance.js'
import { findConnection } from '../client/target.js'
import { CommandError } from '../terminal/exit-codes.js'
import { isTabular, print, withOutput } from '../terminal/output.js'
import type { OutputOptions, View } from '../terminal/output.js'
import type { Terminal } from '../terminal/terminal.js'
import type { Check } from './check.js'
import {
  backupAge,
  backupCopy,
  dataDirectory,
  freeSpace,
  historySpace,
  ownAuthority,
  startNeeds,
} from './machine-checks.js'
import { firewall, thisMachine } from './firewall.js'
import { listenAddress, serverChecks } from './server-checks.js'

export function addDoctor(program: Command, config: () => Config, terminal: Terminal): void {
  withOutput(program.command('doctor'))
    .description('Check a control plane and suggest fixes for problems')
    .addHelpText(
      'after',
      '\nOn the machine of the control plane, this command checks the process that runs there. Elsewhere it checks what a client can see.',
    )
    .action(async (options: OutputOptions) => {
      const { findings } = await diagnose(config)
      if (isTabular(options)) terminal.out.write(renderFindings(findings, 'table'))
      else await print(terminal, findings, view, options)
      const failed = failedChecks(findings)
      if (failed !== undefined) throw new CommandError(failed)
    })
}

/** The findings, and the settings of the control plane that they are about. */
export interface Diagnosis {
  readonly config: Config
  readonly findings: readonly Finding[]
}

/** Checks the control plane of the variables; without any, the one of the unit of this machine. */
export async function diagnose(config: () => Config): Promise<Diagnosis> {
  // Variables of the caller are for another control plane than the one of the unit.
  const unit = setVariables().length > 0 ? null : await readUnit(unitName)
  const checked = unit === null ? config() : readConfig(unit.variables)
  const ofUnit = unit === null ? [] : [unitState(unit)]
  return { config: checked, findings: [...ofUnit, ...(await examine(checked))] }
}

const view: View<Finding> = {
  columns: { CHECK: ({ check }) => check, VERDICT: ({ verdict }) => verdict, FINDING: ({ message }) => message },
  name: ({ check }) => check,
}

const unitName = 'roost'

function unitState({ state, result }: Unit): Finding {
  const check = 'service'
  const seen = `${unitName}.service is ${state}`
  if (state === 'active') return { check, verdict: 'ok', message: `${seen}; its variables are used here` }
  const ending = result === 'success' ? '' : ` (${result})`
  const message = `${seen}${ending}: \`journalctl -u ${unitName}\` has the reason. Start it with \`systemctl start ${unitName}\`.`
  return { check, verdict: state === 'failed' ? 'fail' : 'warn', message }
}

async function examine(config: Config): Promise<readonly Finding[]> {
  const findings: Finding[] = []
  for (const { name: check, run, isRequired } of await checksFor(config)) {
    const [verdict, message] = await run().catch((error: Error) => ['fail', error.message] as const)
    findings.push({ check, verdict, message })
    if (isRequired && verdict === 'fail') break
  }
  return findings
}

/** Returns the checks for a process on this machine, for one that is stopped, or for one elsewhere. */
async function checksFor(config: Config): Promise<readonly Check[]> {
  const now = Date.now()
  const instance = await readInstance(config.dataDir)
  const connection = await findConnection(config)
  const isElsewhere =
    config.url !== null || (config.publicUrl !== null && !existsSync(join(config.dataDir, 'secrets.key')))
  if (connection.context !== null || (instance?.url === undefined && isElsewhere))
    return serverChecks(config, connection, now)
  const backups = [backupAge(config, now), backupCopy(config, now)]
  const machine = [dataDirectory(config), freeSpace(config), historySpace(config), ownAuthority(config), ...backups]
  if (instance?.url === undefined || instance.url === null) return [...machine, ...startNeeds(config, instance)]
  return [
    ...machine,
    ...serverChecks(config, connection, now),
    listenAddress(instance),
    firewall(instance, thisMachine),
  ]
}
