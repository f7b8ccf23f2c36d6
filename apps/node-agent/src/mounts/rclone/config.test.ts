import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { renderRcloneConfig } from './config.js'

const dir = mkdtempSync(join(tmpdir(), 'roost-rclone-'))
afterAll(() => rmSync(dir, { recursive: true }))

const login = (key: string) => ({ auth_url: 'http://swift.example:8080/auth/v1.0', user: 'test:tester', key })
/** Signs that INI readers give a meaning to, and the like. */
const keys = [
  'plain',
  '`',
  '``',
  '`tick`',
  '"quoted"',
  '"""three',
  ';semi',
  '#hash',
  '=',
  'a=b:c',
  '[x]',
  '$HOME',
  '%d',
  '\\',
  "'",
]
const hasRclone = spawnSync('rclone', ['version']).status === 0

describe('rclone’s configuration', () => {
  it('has a remote for each login', () => {
    expect(renderRcloneConfig({ 'swift-b': login('two'), 'swift-a': login('one') })).toBe(
      `[swift-a]
type = swift
auth_version = 1
auth = http://swift.example:8080/auth/v1.0
user = test:tester
key = one

[swift-b]
type = swift
auth_version = 1
auth = http://swift.example:8080/auth/v1.0
user = test:tester
key = two
`,
    )
  })

  it('is refused when rclone would misread it, without the key in the sentence', () => {
    for (const key of ['%(user)s', 'two\nkey = x', ' blank ']) {
      const render = () => renderRcloneConfig({ a: login(key) })
      expect(render).toThrow(/misread/)
      expect(render).not.toThrow(key)
    }
  })

  it.skipIf(!hasRclone)('is read by rclone without a change of any value (where rclone is installed)', () => {
    const logins = Object.fromEntries(keys.map((key, i) => [`r${i}`, login(key)]))
    const file = join(dir, 'rclone.conf')
    writeFileSync(file, renderRcloneConfig(logins))
    const read = JSON.parse(execFileSync('rclone', ['config', 'dump', '--config', file], { encoding: 'utf8' }))
    for (const [i, key] of keys.entries()) expect(read[`r${i}`]).toMatchObject({ key, user: 'test:tester' })
  })
})
