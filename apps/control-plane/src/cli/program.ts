import { Command } from 'commander'
import { readConfig } from '../config.js'
import { addClusters } from './clusters.js'
import { addDoctor } from './doctor.js'
import { addNodes } from './nodes.js'
import { addServe } from './serve.js'
import { addTokens } from './tokens.js'

/** Everything that a command takes from the outside. */
export interface Terminal {
  readonly out: NodeJS.WriteStream
  readonly err: NodeJS.WriteStream
  /** Aborted when the process is told to end. */
  readonly stopping: AbortSignal
}

export function createProgram(terminal: Terminal, version: string): Command {
  const program = new Command('roost')
    .description('Roost, a control plane for OpenStack Swift clusters.')
    .version(version)
    .showHelpAfterError('Try --help.')
    .configureOutput({
      writeOut: (text) => terminal.out.write(text),
      writeErr: (text) => terminal.err.write(text),
    })
    .exitOverride()
  addClusters(program, readConfig, terminal)
  addNodes(program, readConfig, terminal)
  addTokens(program, readConfig, terminal)
  addDoctor(program, readConfig, terminal)
  const local = program.command('local').description('What is done on the control plane’s own machine.')
  addServe(local, readConfig, terminal)
  return program
}
