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

it('counts the checks that failed', () => {
  expect(failedChecks(findings)).toBe('1 of 2 checks failed.')
  expect(failedChecks(findings.slice(0, 1))).toBeUndefined()
})
