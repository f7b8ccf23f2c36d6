// Reads the JSON reports of Vitest.
import { existsSync, readFileSync } from 'node:fs'

/** A report that was never written has no suites. */
export function readSuites(path) {
  const text = existsSync(path) ? readFileSync(path, 'utf8') : ''
  return text === '' ? [] : JSON.parse(text).testResults
}

/** Of a suite or a test. */
export function isFailed({ status }) {
  return status === 'failed'
}
