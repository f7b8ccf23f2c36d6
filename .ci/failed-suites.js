// Prints the suites that failed in a JSON report of Vitest, one a line: `failed-suites.js REPORT`.
import { existsSync, readFileSync } from 'node:fs'
import { relative } from 'node:path'

const [report] = process.argv.slice(2)
const text = existsSync(report) ? readFileSync(report, 'utf8') : ''
const suites = text === '' ? [] : JSON.parse(text).testResults
for (const { name, status } of suites) if (status === 'failed') console.log(relative(process.cwd(), name))
