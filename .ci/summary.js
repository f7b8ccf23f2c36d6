// Prints the minutes of each folder and the one line of totals: `summary.js REPORT CHECK_CODE TEST_CODE SECONDS`.
// Fails when anything failed, or when the run took longer than it may.
import { readFileSync } from 'node:fs'
import { dirname, relative } from 'node:path'

const [path, checkCode, testCode, seconds] = process.argv.slice(2)
const [checkFailed, testFailed] = [checkCode !== '0', testCode !== '0']
/** The CI ends a run after 90 minutes. */
const maxMinutes = 70

/** What a report that was never written says. */
const nothing = { numPassedTests: 0, numFailedTests: 0, numPendingTests: 0, numTodoTests: 0, testResults: [] }
const text = readFileSync(path, 'utf8')
const report = text === '' ? nothing : JSON.parse(text)

// A suite that could not be loaded has failed without a test of its own that did.
const broken = report.testResults.filter(
  ({ status, assertionResults }) => status === 'failed' && !assertionResults.some((test) => test.status === 'failed'),
).length
/** Two folders deep: `test/gateways`, `apps/node-agent`. */
function folderOf(file) {
  return dirname(relative(process.cwd(), file)).split('/').slice(0, 2).join('/')
}

/** Suites run side by side: their minutes add up to more than the run's. */
function printMinutes() {
  const byFolder = new Map()
  for (const { name, startTime, endTime } of report.testResults) {
    const folder = folderOf(name)
    byFolder.set(folder, (byFolder.get(folder) ?? 0) + (endTime - startTime) / 60_000)
  }
  const sorted = [...byFolder].toSorted(([, a], [, b]) => b - a)
  for (const [folder, minutes] of sorted) console.log(`${minutes.toFixed(1).padStart(6)} min  ${folder}`)
}

const minutes = Number(seconds) / 60
const isSlow = minutes > maxMinutes
printMinutes()
console.log(`The run took ${minutes.toFixed(1)} minutes${isSlow ? `, more than the ${maxMinutes} that it may` : ''}.`)

const passed = report.numPassedTests + (checkFailed ? 0 : 1)
const failures = report.numFailedTests + broken
// The run may fail without any test that did, by an error outside of them.
const failed = failures + (checkFailed ? 1 : 0) + (testFailed && failures === 0 ? 1 : 0) + (isSlow ? 1 : 0)
console.log(`${passed} passed, ${failed} failed, ${report.numPendingTests + report.numTodoTests} skipped`)
process.exitCode = failed === 0 ? 0 : 1
