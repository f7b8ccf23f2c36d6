// Prints the minutes of each folder, what failed, and the one line of totals: `summary.js REPORTS CHECK_CODE TEST_CODE SECONDS`.
// REPORTS is a folder with the JSON reports of Vitest: servers.json, tests.json, and node-24.json of a later release of Node.
// Fails when anything failed, or when the run took longer than it may.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'

const [reportsFolder, checkCode, testCode, seconds] = process.argv.slice(2)
const [checkFailed, testFailed] = [checkCode !== '0', testCode !== '0']
/** The CI ends a run after 90 minutes. */
const maxMinutes = 85

const own = ['servers', 'tests']
const others = readdirSync(reportsFolder).flatMap((file) => /^(node-.*)\.json$/.exec(file)?.[1] ?? [])
const reports = [...own, ...others].map((name) => ({ name, ...readReport(join(reportsFolder, `${name}.json`)) }))

/** A report that was never written has no tests. */
function readReport(path) {
  const nothing = { numPassedTests: 0, numFailedTests: 0, numPendingTests: 0, numTodoTests: 0, testResults: [] }
  const text = existsSync(path) ? readFileSync(path, 'utf8') : ''
  const report = text === '' ? nothing : JSON.parse(text)
  // A suite that could not be loaded has failed without a test of its own that did.
  const broken = report.testResults.filter(
    ({ status, assertionResults }) => status === 'failed' && !assertionResults.some((test) => test.status === 'failed'),
  ).length
  return {
    suites: report.testResults,
    passed: report.numPassedTests,
    failed: report.numFailedTests + broken,
    skipped: report.numPendingTests + report.numTodoTests,
  }
}

function sum(key) {
  return reports.reduce((total, report) => total + report[key], 0)
}

/** Two folders deep: `test/gateways`, `apps/node-agent`. */
function folderOf(file) {
  return dirname(relative(process.cwd(), file)).split('/').slice(0, 2).join('/')
}

/** Suites run side by side: their minutes add up to more than the run's. */
function printMinutes() {
  const byFolder = new Map()
  for (const report of reports)
    for (const { name, startTime, endTime } of report.suites) {
      const folder = `${folderOf(name)}${own.includes(report.name) ? '' : ` (${report.name})`}`
      byFolder.set(folder, (byFolder.get(folder) ?? 0) + (endTime - startTime) / 60_000)
    }
  const sorted = [...byFolder].toSorted(([, a], [, b]) => b - a)
  for (const [folder, minutes] of sorted) console.log(`${minutes.toFixed(1).padStart(6)} min  ${folder}`)
}

/** What is above may be thousands of lines: the end of the output alone says what failed and why. */
function printFailures() {
  for (const report of reports)
    for (const suite of report.suites.filter(({ status }) => status === 'failed')) {
      const failed = suite.assertionResults.filter((test) => test.status === 'failed')
      const file = `FAILED (${report.name}) ${relative(process.cwd(), suite.name)}`
      if (failed.length === 0) console.log(`${file}\n${firstLines(suite.message)}`)
      for (const test of failed)
        console.log(`${file} > ${test.fullName}\n${firstLines(test.failureMessages.join('\n'))}`)
    }
}

function firstLines(message) {
  return message
    .split('\n')
    .slice(0, 12)
    .map((line) => `    ${line.slice(0, 400)}`)
    .join('\n')
}

const minutes = Number(seconds) / 60
const isSlow = minutes > maxMinutes
printMinutes()
printFailures()
console.log(`The run took ${minutes.toFixed(1)} minutes${isSlow ? `, more than the ${maxMinutes} that it may` : ''}.`)

for (const { name, passed, failed, skipped } of reports)
  console.log(`${name}: ${passed} passed, ${failed} failed, ${skipped} skipped`)
const passed = sum('passed') + (checkFailed ? 0 : 1)
const failures = sum('failed')
// The run may fail without any test that did, by an error outside of them.
const failed = failures + (checkFailed ? 1 : 0) + (testFailed && failures === 0 ? 1 : 0) + (isSlow ? 1 : 0)
console.log(`${passed} passed, ${failed} failed, ${sum('skipped')} skipped`)
process.exitCode = failed === 0 ? 0 : 1
