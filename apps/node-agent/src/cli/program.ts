import { Command } from 'commander'

/** Flags of every command. `--data-dir` defaults to ROOST_AGENT_DATA_DIR, then to /var/lib/roost-agent. */
export interface GlobalFlags {
  readonly dataDir?: string
  /** A prefix before every path of the machine that the agent reads. */
  readonly root?: string
  /** The agent's configuration file. */
  readonly config?: string
}

/** The agent's commands: each lives in its own file here, and is imported only when it is called. */
export function createProgram(): Command {
  return new Command('roost-agent')
    .description('Reads this machine and reports it to a Roost control plane.')
    .option('--data-dir <dir>', 'where the agent keeps its identity and state (default: /var/lib/roost-agent)')
    .option('--root <dir>', 'read the machine below this directory', '/')
    .option('--config <file>', "the agent's configuration file")
}
