import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { advisoryLocks, advisoryLockSpaces } from './advisory-locks.js'

const root = fileURLToPath(new URL('../..', import.meta.url))
const files = execFileSync('git', ['ls-files', '*.ts', '*.js', '*.mjs', '*.sql'], { cwd: root, encoding: 'utf8' })
/** A call whose number stands beside it, or in the list of its parameters. */
const literal = /pg_(?:try_)?advisory_\w+\(\s*(?:(?:\$\{\s*)?\d|\$\d[^)]*\)[^[\n]*\[\s*\d)/

describe('the numbers of advisory locks', () => {
  it('are each given once', () => {
    const numbers = [advisoryLocks, advisoryLockSpaces].flatMap((locks) => Object.values<number>(locks))
    expect(new Set(numbers).size).toBe(numbers.length)
  })

  it('stand in one file only', () => {
    const calls = files
      .trim()
      .split('\n')
      .flatMap((path) =>
        readFileSync(join(root, path), 'utf8')
          .split('\n')
          .filter((line) => /pg_(?:try_)?advisory_/.test(line))
          .map((line) => ({ path, line })),
      )
    expect(calls.length).toBeGreaterThan(10)
    expect(calls.filter(({ line }) => literal.test(line))).toEqual([])
  })
})
