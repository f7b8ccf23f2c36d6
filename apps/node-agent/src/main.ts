import './v8-flags.js'
import { watchOutput } from '@roost/runtime'
import { explain } from './cli/explain.js'
import { createProgram } from './cli/program.js'

const output = watchOutput()
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
exitCode = await output.finish(exitCode)
// A mount that hangs may block a child or a thread for ever.
process.exit(exitCode)
