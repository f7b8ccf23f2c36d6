import './lifecycle/v8-flags.js'
import { ConfigError, printable, watchOutput } from '@roost/runtime'
import { CommanderError } from 'commander'
import { CommandError, exitCodes } from './cli/terminal/exit-codes.js'
import { createProgram } from './cli/program.js'
import type { StartServer } from './cli/serve-options.js'
import type { Terminal } from './cli/terminal/terminal.js'
import { StartError } from './lifecycle/start-error.js'
import { version } from './lifecycle/version.js'

const closeDeadlineMs = 30_000
const stopping = new AbortController()
const output = watchOutput()
const startServer: StartServer = async (...args) => (await import('./server.js')).startServer(...args)

const terminal: Terminal = {
  in: process.stdin,
  out: process.stdout,
  err: process.stderr,
  stopping: stopping.signal,
  style: { color: false, pager: null, quiet: false, hasJsonErrors: false, isDryRun: false },
}

/** Stops once: under npm, Ctrl-C sends two signals, one from the terminal and one from npm. */
function stop(): void {
  if (stopping.signal.aborted) return
  stopping.abort()
  setTimeout(() => {
    process.stderr.write(`roost: shutdown did not finish within ${closeDeadlineMs / 1000} s, exiting\n`)
    process.exit(exitCodes.error)
  }, closeDeadlineMs).unref()
}

function fail(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : exitCodes.usage
  if (error instanceof ConfigError) {
    for (const fault of error.faults) process.stderr.write(`roost: ${fault}\n`)
    return exitCodes.usage
  }
  if (error instanceof StartError || error instanceof CommandError) {
    // A message of the API may contain names that others chose.
    const message = error.message.split('\n').map(printable).join('\n')
    const json = JSON.stringify({ error: message, exit_code: error.exitCode })
    process.stderr.write(terminal.style.hasJsonErrors ? `${json}\n` : `roost: ${message}\n`)
    return error.exitCode
  }
  process.stderr.write(`roost: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`)
  return exitCodes.error
}

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, stop)
for (const event of ['uncaughtException', 'unhandledRejection'] as const)
  process.on(event, (error) => {
    process.exitCode = fail(error)
    stop()
  })

try {
  const program = await createProgram({ terminal, version, startServer, args: process.argv.slice(2) })
  await program.parseAsync()
} catch (error) {
  process.exitCode = fail(error)
}
const exitCode = await output.finish(Number(process.exitCode ?? 0))
// Do not wait for connections that are still closing.
process.exit(exitCode)
