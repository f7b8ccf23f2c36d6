import { homedir } from 'node:os'
import { join } from 'node:path'

/** What the command line reads of the environment beside the variables of Roost. */
export interface Shell {
  readonly noColor: boolean
  /** TERM; undefined outside of a terminal. */
  readonly term: string | undefined
  readonly pager: string
  /** The folder of the command line's own files, after the XDG Base Directory Specification. */
  readonly configDir: string
}

export function readShell(env: NodeJS.ProcessEnv = process.env): Shell {
  const { NO_COLOR = '', TERM, PAGER = '', XDG_CONFIG_HOME = '' } = env
  return {
    noColor: NO_COLOR !== '',
    term: TERM,
    pager: PAGER === '' ? 'less' : PAGER,
    configDir: join(XDG_CONFIG_HOME.startsWith('/') ? XDG_CONFIG_HOME : join(homedir(), '.config'), 'roost'),
  }
}
