import type { Command } from 'commander'
import { CommandError, exitCodes } from '../terminal/exit-codes.js'
import type { Terminal } from '../terminal/terminal.js'
import { isTopic, topics } from './topics.js'

/** Adds `help`, which has topics beside the commands. */
export function addHelp(program: Command, { out }: Terminal, everyCommand: () => Promise<Command>): void {
  const list = Object.entries(topics).map(([name, { description }]) => `\n  roost help ${name}: ${description}`)
  program
    .command('help [topic...]')
    .description('Show the help of a command, or of a topic: exit-codes, environment')
    .addHelpText('after', `\nTopics:${list.join('')}`)
    .action(async (names: readonly string[]) => {
      const [first = ''] = names
      if (names.length === 1 && isTopic(first)) {
        out.write(topics[first].text())
        return
      }
      commandOf(await everyCommand(), names).outputHelp()
    })
}

function commandOf(program: Command, names: readonly string[]): Command {
  let command = program
  for (const name of names) {
    const next = command.commands.find((one) => one.name() === name)
    if (next === undefined)
      throw new CommandError(
        `There is no command or topic '${names.join(' ')}'. Topics: ${Object.keys(topics).join(', ')}.`,
        exitCodes.usage,
      )
    command = next
  }
  return command
}
