import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readAccountDb } from './account-db.js'
import { readConsistently } from './sqlite-file.js'

/** Made by the AccountBroker of Swift 2.30.1. */
const fixture = (name: string): Buffer =>
  gunzipSync(readFileSync(new URL(`fixtures/account-db/${name}.db.gz`, import.meta.url)))

let dir: string
beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'roost-account-db-'))
})
afterAll(() => rmSync(dir, { recursive: true }))

function written(name: string, bytes = fixture(name)): string {
  const path = join(dir, `${name}.db`)
  writeFileSync(path, bytes)
  return path
}

describe('the database of an account', () => {
  it('has containers, objects and bytes of each storage policy', () => {
    expect(readAccountDb(written('two-policies'))).toEqual([
      { account: 'AUTH_test', policy: 0, containers: 2, objects: 2, bytes: 5_000_000_000 },
      { account: 'AUTH_test', policy: 1, containers: 1, objects: 3, bytes: 10_920_612 },
    ])
  })

  it('is read with metadata of several pages and a long name', () => {
    const account = `AUTH_${'n'.repeat(240)}`
    expect(readAccountDb(written('large-metadata'))).toEqual([
      { account, policy: 0, containers: 150, objects: 22_350, bytes: 223_500 },
      { account, policy: 1, containers: 150, objects: 22_500, bytes: 225_000 },
    ])
  })

  it('of one of Swift’s own accounts is read like any other', () => {
    expect(readAccountDb(written('system'))).toEqual([
      { account: '.expiring_objects', policy: 0, containers: 1, objects: 4, bytes: 0 },
    ])
  })

  it('of a deleted account has no rows', () => {
    expect(readAccountDb(written('deleted'))).toEqual([])
  })

  it('without storage policies has everything in policy 0', () => {
    const bytes = fixture('two-policies')
    // The same file without the table's entry in the schema.
    for (let at = bytes.indexOf('tablepolicy_stat'); at !== -1; at = bytes.indexOf('tablepolicy_stat')) bytes[at] = 88
    expect(readAccountDb(written('legacy', bytes))).toEqual([
      { account: 'AUTH_test', policy: 0, containers: 3, objects: 5, bytes: 5_010_920_612 },
    ])
  })

  it('is not read while it has a journal', () => {
    const path = written('two-policies')
    writeFileSync(`${path}-journal`, 'a transaction')
    expect(readAccountDb(path)).toBeUndefined()
    rmSync(`${path}-journal`)
    expect(readAccountDb(path)).toHaveLength(2)
  })

  it('is read again when it changed during the read', () => {
    const path = written('two-policies')
    const changed = fixture('two-policies')
    changed.writeUInt32BE(changed.readUInt32BE(24) + 1, 24)
    let reads = 0
    const answer = readConsistently(path, () => {
      reads++
      if (reads === 1) writeFileSync(path, changed)
      return reads
    })
    expect(answer).toBe(2)
  })

  it.each([
    ['is empty', Buffer.alloc(0), /not a SQLite database/],
    ['is something else', Buffer.alloc(8_192, 'x'), /not a SQLite database/],
    ['ends too early', fixture('two-policies').subarray(0, 8_192), /ends before page/],
  ])('that %s is refused with the reason', (_what, bytes, reason) => {
    expect(() => readAccountDb(written('damaged', bytes))).toThrow(reason)
  })

  it('with any damage ends in an answer or an error', () => {
    const complete = fixture('large-metadata')
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.nat(complete.length - 1), fc.nat(255)), { minLength: 1, maxLength: 40 }),
        (changes) => {
          const bytes = Buffer.from(complete)
          for (const [at, value] of changes) bytes[at] = value
          const answer = answerOf(written('fuzzed', bytes))
          expect(
            answer instanceof Error || answer === undefined || answer.every((row) => Number.isInteger(row.bytes)),
          ).toBe(true)
        },
      ),
      { numRuns: 300 },
    )
  })
})

function answerOf(path: string): ReturnType<typeof readAccountDb> | Error {
  try {
    return readAccountDb(path)
  } catch (error) {
    return error as Error
  }
}
