import { CommandError, exitCodes } from './command/command-error.js'

/** Parses `--server`. Throws CommandError. */
export function serverUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : null
  if (url !== null && /^https?:$/.test(url.protocol) && url.href === `${url.origin}/`) return url
  throw new CommandError(`--server must be a URL such as https://roost.example:8443, but is '${text}'.`, {
    exitCode: exitCodes.usage,
  })
}
