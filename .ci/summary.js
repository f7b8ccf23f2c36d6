// Prints the minutes of each folder, what failed, and the one line of totals:
// `summary.js REPORTS CHECK_CODE TEST_CODE SECONDS`.
// REPORTS is a folder with the JSON reports of Vitest: tests.json, and node-24.json of a later release of Node.
// The results of suites that ran once more (`tests-again.json`) replace those of the first time.
// Fails when anything failed.
import { readdirSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { isFailed, readSuites } from './reports.js'

const [reportsFolder, checkCode, testCode, seconds] = process.argv.slice(2)
const [checkFailed, testFailed] = [checkCode !== '0', testCode !== '0']

const own = 'tests'
const others = readdirSync(reportsFolder).flatMap((file) => /^(node-\d+)\.json$/.exec(file)?.[1] ?? [])
const reports = [own, ...others].map((name) => readReport(name))

function readReport(name) {
  const first = readSuites(join(reportsFolder, `${name}.json`))
  const again = readSuites(join(reportsFolder, `${name}-again.json`))
  const suites = first.map((suite) => again.find((repeated) => repeated.name === suite.name) ?? suite)
  const tests = suites.flatMap(({ assertionResults }) => assertionResults.map(({ status }) => status))
  const count = (wanted) => tests.filter((status) => status === wanted).length
  // A suite that could not be loaded has failed without a test of its own that did.
  const broken = suites.filter(
    ({ status, assertionResults }) => status === 'failed' && !assertionResults.some(isFailed),
  )
  const [passed, failed] = [count('passed'), count('failed')]
  const runs = [...first, ...again]
  const repaired = first.filter((suite) =>
    again.some((repeated) => repeated.name === suite.name && !isFailed(repeated)),
  )
  return {
    name,
    runs,
    suites,
    repaired,
    passed,
    failed: failed + broken.length,
    skipped: tests.length - passed - failed,
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
    for (const { name, startTime, endTime } of report.runs) {
      const folder = `${folderOf(name)}${report.name === own ? '' : ` (${report.name})`}`
      byFolder.set(folder, (byFolder.get(folder) ?? 0) + (endTime - startTime) / 60_000)
    }
  const sorted = [...byFolder].toSorted(([, a], [, b]) => b - a)
  for (const [folder, minutes] of sorted) console.log(`${minutes.toFixed(1).padStart(6)} min  ${folder}`)
}

/** What is above may be thousands of lines: the end of the output alone says what failed and why. */
function printFailures() {
  for (const { name, suites, repaired } of reports) {
    for (const suite of suites.filter(isFailed)) printSuite(`FAILED (${name})`, suite)
    for (const suite of repaired) printSuite(`FAILED ONCE (${name}), and passed when it ran alone:`, suite)
  }
}

function printSuite(what, suite) {
  const failed = suite.assertionResults.filter(isFailed)
  const file = `${what} ${relative(process.cwd(), suite.name)}`
  if (failed.length === 0) console.log(`${file}\n${firstLines(suite.message)}`)
  for (const test of failed) console.log(`${file} > ${test.fullName}\n${firstLines(test.failureMessages.join('\n'))}`)
}

function firstLines(message) {
  return message
    .split('\n')
    .slice(0, 12)
    .map((line) => `    ${line.slice(0, 400)}`)
    .join('\n')
}

printMinutes()
printFailures()
console.log(`The run took ${(Number(seconds) / 60).toFixed(1)} minutes.`)

for (const { name, passed, failed, skipped } of reports)
  console.log(`${name}: ${passed} passed, ${failed} failed, ${skipped} skipped`)
const passed = sum('passed') + (checkFailed ? 0 : 1)
const failures = sum('failed')
// The run may fail without any test that did, by an error outside of them.
const failed = failures + (checkFailed ? 1 : 0) + (testFailed && failures === 0 ? 1 : 0)
console.log(`${passed} passed, ${failed} failed, ${sum('skipped')} skipped`)
process.exitCode = failed === 0 ? 0 : 1
