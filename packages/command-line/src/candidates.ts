import type { Argument, Command, Option } from 'commander'

/** Returns the names of records of a kind, such as `node`, that begin with a text; [] of a kind that it does not know. */
export type NamesOf = (kind: string) => Promise<readonly string[]>

/** Returns what a shell can offer for the last of the arguments after the name of the program: commands, options, choices, and names of records. */
export async function candidatesFor(
  program: Command,
  args: readonly string[],
  namesOf: NamesOf,
): Promise<readonly string[]> {
  const last = args.at(-1) ?? ''
  const position = descend(program, args.slice(0, -1))
  const found = await offered({ program, ...position }, last, namesOf)
  return [...new Set(found)].filter((candidate) => candidate.startsWith(last)).toSorted()
}

interface Position {
  readonly program: Command
  readonly command: Command
  /** The option whose value is next. */
  readonly open: Option | undefined
  /** The argument that is next. */
  readonly argument: Argument | undefined
  /** An argument is no command. */
  readonly isUnknown: boolean
}

async function offered(
  { program, command, open, argument, isUnknown }: Position,
  last: string,
  namesOf: NamesOf,
): Promise<readonly string[]> {
  if (open !== undefined) return open.argChoices ?? namesOf(open.attributeName())
  if (last.startsWith('-')) return [...command.options, ...program.options].map(({ long }) => long ?? '')
  if (isUnknown) return []
  if (command.commands.length > 0) return visible(command).map((one) => one.name())
  return argument === undefined ? [] : (argument.argChoices ?? namesOf(argument.name()))
}

/** Returns the commands of a command that help lists. */
export function visible(command: Command): readonly Command[] {
  return command.createHelp().visibleCommands(command)
}

function descend(program: Command, args: readonly string[]): Omit<Position, 'program'> {
  let command = program
  let open: Option | undefined
  let given = 0
  for (const arg of args) {
    if (open !== undefined) open = undefined
    else if (arg.startsWith('-')) open = valueOption([...command.options, ...program.options], arg)
    else {
      const next = command.commands.find((one) => one.name() === arg)
      given = next === undefined ? given + 1 : 0
      command = next ?? command
    }
  }
  const { registeredArguments: known } = command
  const rest = known.at(-1)?.variadic === true ? known.at(-1) : undefined
  const isUnknown = given > 0 && command.commands.length > 0
  return { command, open, argument: known[given] ?? rest, isUnknown }
}

/** Returns the option of an argument that has its value in the next one. */
function valueOption(options: readonly Option[], arg: string): Option | undefined {
  return options.find((option) => (option.long === arg || option.short === arg) && (option.required || option.optional))
}
