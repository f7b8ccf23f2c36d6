import { CommandError, exitCodes } from './command/command-error.js'

/** Parses `--ca-sha256`, with or without `sha256:` and colons. Throws CommandError. */
export function parsePin(text: string): string {
  const digits = text
    .replace(/^sha256:/i, '')
    .replaceAll(':', '')
    .toLowerCase()
  if (/^[0-9a-f]{64}$/.test(digits)) return digits
  throw new CommandError(`--ca-sha256 must have 64 hexadecimal digits, but is '${text}'.`, {
    remedy: 'Copy the complete line that `roost token create` printed.',
    exitCode: exitCodes.usage,
  })
}
