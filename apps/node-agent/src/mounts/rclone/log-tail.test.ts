import { appendFileSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { LogTail } from './log-tail.js'

let dir: string
let file: string
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'roost-tail-'))
  file = join(dir, 'log')
})
afterEach(() => rmSync(dir, { recursive: true }))

describe('the tail of a log', () => {
  it('has each line once, when it is complete', () => {
    const tail = new LogTail(file)
    expect(tail.read().lines).toEqual([])
    writeFileSync(file, 'one\ntwo\nthr')
    expect(tail.read().lines).toEqual(['one', 'two'])
    expect(tail.read().lines).toEqual([])
    appendFileSync(file, 'ee\n')
    expect(tail.read()).toEqual({ lines: ['three'], writtenAtMs: statSync(file).mtimeMs })
  })

  it('loses no line when the log is cut down or begins again', () => {
    const tail = new LogTail(file)
    writeFileSync(file, 'first\none\n')
    tail.read()
    appendFileSync(file, 'two\n')
    tail.trim(6)
    appendFileSync(file, 'three\n')
    expect(tail.read().lines).toEqual(['two', 'three'])
    appendFileSync(file, 'four\n')
    tail.end()
    rmSync(file)
    writeFileSync(file, 'a longer beginning of another log\n')
    expect(tail.read().lines).toEqual(['four', 'a longer beginning of another log'])
  })

  it('begins near the end of a log that is long already', () => {
    writeFileSync(file, 'a line of the log\n'.repeat(100_000))
    const { lines } = new LogTail(file).read()
    expect(lines.length).toBeGreaterThan(1_000)
    expect(lines.length).toBeLessThan(20_000)
  })
})
