import { createProgram } from '@roost/control-plane/dist/cli/program.js'

export type Command = Awaited<ReturnType<typeof createProgram>>

/** Returns the command line with all commands, none of which is run. */
export function everyCommand(): Promise<Command> {
  const { stdin, stdout, stderr } = process
  const style = { color: false, pager: null, quiet: false, hasJsonErrors: false, isDryRun: false }
  const terminal = { in: stdin, out: stdout, err: stderr, stopping: new AbortController().signal, style }
  const startServer = () => Promise.reject(new Error('not in this test'))
  return createProgram({ terminal, version: '0', startServer, args: [] })
}

/** Returns the commands that do something, not the groups that they are in. */
export function leavesOf(command: Command): readonly Command[] {
  return command.commands.length === 0 ? [command] : command.commands.flatMap(leavesOf)
}

/** Returns the names of a command, such as `alert silence add`. */
export function pathOf(command: Command): string {
  const { parent } = command
  return parent === null ? '' : `${pathOf(parent)} ${command.name()}`.trim()
}

export function hasOption(command: Command, long: string): boolean {
  return command.options.some((option) => option.long === long)
}
