import { expect, it } from 'vitest'
import { failedChecks, type Finding, renderFindings } from './findings.js'

const findings: readonly Finding[] = [
  { check: 'state', verdict: 'ok', message: 'fine' },
  { check: 'API', verdict: 'fail', message: 'Start it.' },
]

it('renders findings as a table or as JSON', () => {
  expect(renderFindings(findings, 'table')).toBe(
    'CHECK  VERDICT  FINDING\nstate  ok       fine\nAPI    fail     Start it.\n',
  )
  expect(JSON.parse(renderFindings(findings, 'json'))).toEqual(findings)
})

it('prints the diff of a finding below the table', () => {
  const message = 'Change this line.'
  const diff = '--- /etc/a.conf\n+++ /etc/a.conf\n@@ -1,1 +1,1 @@\n-a = \u001b[2J\n+a = 2\n'
  expect(renderFindings([{ check: 'a', verdict: 'warn', message, diff }], 'table')).toBe(
    'CHECK  VERDICT  FINDING\na      warn     Change this line.\n\n--- /etc/a.conf\n+++ /etc/a.conf\n@@ -1,1 +1,1 @@\n-a = ?[2J\n+a = 2\n',
  )
})

it('counts the checks that failed', () => {
  expect(failedChecks(findings)).toBe('1 of 2 checks failed.')
  expect(failedChecks(findings.slice(0, 1))).toBeUndefined()
})
