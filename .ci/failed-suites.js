// Prints the suites that failed in a JSON report of Vitest, one a line: `failed-suites.js REPORT`.
// None where an error outside of the suites failed the run, too: repeating suites would hide it.
import { existsSync } from 'node:fs'
import { relative } from 'node:path'
import { isFailed, readSuites } from './reports.js'

const [report] = process.argv.slice(2)
const failed = existsSync(`${report}.errors`) ? [] : readSuites(report).filter(isFailed)
for (const { name } of failed) console.log(relative(process.cwd(), name))
