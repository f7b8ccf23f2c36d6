import './v8-flags.js'
import { explain } from './cli/explain.js'
import { createProgram } from './cli/program.js'

let exitCode = 0
try {
  await createProgram((code) => {
    exitCode = code
  }).parseAsync()
} catch (error) {
  const explanation = explain(error)
  for (const line of explanation.lines) process.stderr.write(`${line}\n`)
  exitCode = explanation.exitCode
}
// A mount that hangs may hold a child or a thread for ever; what had to be written is written.
process.exit(exitCode)
