// Prints the one line of totals, and fails when anything failed: `summary.js REPORT CHECK_CODE TEST_CODE`.
import { readFileSync } from 'node:fs'

const [path, ...codes] = process.argv.slice(2)
const [checkFailed, testFailed] = codes.map((code) => code !== '0')

/** What a report that was never written says. */
const nothing = { numPassedTests: 0, numFailedTests: 0, numPendingTests: 0, numTodoTests: 0, testResults: [] }
const text = readFileSync(path, 'utf8')
const report = text === '' ? nothing : JSON.parse(text)

// A suite that could not be loaded has failed without a test of its own that did.
const broken = report.testResults.filter(
  ({ status, assertionResults }) => status === 'failed' && !assertionResults.some((test) => test.status === 'failed'),
).length
const passed = report.numPassedTests + (checkFailed ? 0 : 1)
const failures = report.numFailedTests + broken
// The run may fail without any test that did, by an error outside of them.
const failed = failures + (checkFailed ? 1 : 0) + (testFailed && failures === 0 ? 1 : 0)
console.log(`${passed} passed, ${failed} failed, ${report.numPendingTests + report.numTodoTests} skipped`)
process.exitCode = failed === 0 ? 0 : 1
