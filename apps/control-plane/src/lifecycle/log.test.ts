import { Writable } from 'node:stream'
import { stripVTControlCharacters } from 'node:util'
import { expect, it } from 'vitest'
import { createLog } from './log.js'

function capture(isTTY: boolean) {
  let text = ''
  const out = new Writable({
    write(chunk, _encoding, done) {
      text += String(chunk)
      done()
    },
  })
  return { out: Object.assign(out, { isTTY }), text: () => text }
}

it('writes JSON for machines', () => {
  const { out, text } = capture(false)
  createLog({ level: 'info', out }).info({ node: 3 }, 'node is online')
  expect(JSON.parse(text())).toMatchObject({ node: 3, msg: 'node is online' })
})

it('writes readable lines on a terminal', () => {
  const { out, text } = capture(true)
  createLog({ level: 'info', out }).warn('disk is full')
  expect(text()).toMatch(/WARN.*disk is full/)
})

it('does not let what others wrote begin a line, move the cursor or turn the direction of a terminal', () => {
  const { out, text } = capture(true)
  const hostile = 'a\nFATAL: forged\u001B[2J\u009B\u202E'
  createLog({ level: 'info', out }).warn({ node: hostile, list: [hostile] }, hostile)
  const lines = text().split('\n')
  expect(lines).toHaveLength(2)
  expect(lines[0]).toContain('a?FATAL: forged')
  // The colors of the line are ours.
  expect(stripVTControlCharacters(text()).replaceAll('\n', '')).not.toMatch(/[\p{Cc}\u202E]/u)
})

it.each([true, false])('hides what a field of a secret’s name holds, terminal or not (%s)', (isTTY) => {
  const { out, text } = capture(isTTY)
  const log = createLog({ level: 'info', out })
  log.info({ token: 'S3CR3T-1', req: { headers: { authorization: 'S3CR3T-2' } }, user: { password: 'S3CR3T-3' } }, 'x')
  expect(text()).toContain('[hidden]')
  expect(text()).not.toContain('S3CR3T')
})
