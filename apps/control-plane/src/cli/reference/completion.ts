import { Argument } from 'commander'
import type { Command } from 'commander'
import { candidatesFor, completionScript, shells } from '@roost/command-line'
import type { Shell } from '@roost/command-line'
import { printable } from '@roost/runtime'
import type { Config } from '../../config.js'
import type { Terminal } from '../terminal/terminal.js'
import { recordNames } from './record-names.js'

/** Adds `completion`, which prints the script of a shell, and the command that the scripts call. */
export function addCompletion(
  program: Command,
  config: () => Config,
  { out }: Terminal,
  everyCommand: () => Promise<Command>,
): void {
  program
    .command('completion')
    .description('Print the script that completes commands, options and names in a shell')
    .addArgument(new Argument('<shell>').choices(shells))
    .addHelpText(
      'after',
      '\nFor bash: roost completion bash >/etc/bash_completion.d/roost. The packages contain all three.',
    )
    .action((shell: Shell) => {
      out.write(completionScript(shell, 'roost'))
    })
  program
    .command('complete [arguments...]', { hidden: true })
    .description('Print what completes the last argument')
    .action(async (args: string[]) => {
      const found = await candidatesFor(await everyCommand(), args, recordNames(config))
      out.write(found.map((candidate) => `${printable(candidate)}\n`).join(''))
    })
}
