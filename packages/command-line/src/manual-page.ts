import type { Command } from 'commander'
import { visible } from './candidates.js'

/** Returns the manual page of a program with all its commands, as text for roff; its end is the appendix. */
export function manualPage(program: Command, appendix: string): string {
  const sections = [
    `.TH ${escaped(program.name().toUpperCase())} 1 "" Roost`,
    `.SH NAME\n${escaped(program.name())} \\- ${escaped(program.description())}`,
    `.SH SYNOPSIS\n.B ${escaped(program.name())}\n[\\fIoptions\\fR] \\fIcommand\\fR`,
    `.SH OPTIONS\n${optionsOf(program)}`,
    `.SH COMMANDS\n${visible(program)
      .flatMap((command) => leaves(command, program.name()))
      .join('\n')}`,
    `.SH NOTES\n.nf\n${escaped(appendix)}\n.fi`,
  ]
  return `${sections.join('\n')}\n`
}

/** Returns the paragraphs of a command, or of those below it. */
function leaves(command: Command, before: string): readonly string[] {
  const name = `${before} ${command.name()}`
  if (command.commands.length > 0)
    return visible(command)
      .filter((one) => one.name() !== 'help')
      .flatMap((one) => leaves(one, name))
  if (command.name() === 'help') return []
  const usage = command.usage().replace(/^\[options\] ?/, '')
  return [
    `.SS ${escaped(`${name} ${usage}`.trim())}\n${escaped(command.description())}\n${optionsOf(command)}`.trimEnd(),
  ]
}

function optionsOf(command: Command): string {
  const help = command.createHelp()
  return help
    .visibleOptions(command)
    .filter(({ long }) => long !== '--help')
    .map((option) => `.TP\n.B ${escaped(option.flags)}\n${escaped(help.optionDescription(option))}`)
    .join('\n')
}

/** Escapes what roff would read as a request. */
function escaped(text: string): string {
  return text
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replaceAll(/^([.'])/gm, '\\&$1')
}
