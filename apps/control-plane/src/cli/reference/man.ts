import type { Command } from 'commander'
import { manualPage } from '@roost/command-line'
import type { Terminal } from '../terminal/terminal.js'

/** Adds `man`, which prints the manual page of all commands, made from what their help is made from. */
export function addMan(
  program: Command,
  { out }: Terminal,
  everyCommand: () => Promise<Command>,
  appendix: string,
): void {
  program
    .command('man')
    .description('Print the manual page: roost man | man -l -')
    .action(async () => {
      out.write(manualPage(await everyCommand(), appendix))
    })
}
