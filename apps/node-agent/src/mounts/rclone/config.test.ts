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

  it('has the options of Keystone for a user and for an application credential', () => {
    const keystone = {
      auth_url: 'https://keystone.example:5000/v3',
      auth_version: 3,
      key: 'one',
      user: 'shares',
      user_domain: 'Default',
      project: 'docs',
      project_domain: 'Other',
      region: 'RegionOne',
      interface: 'internal',
    } as const
    const { user_domain: _, project: __, project_domain: ___, region: ____, ...credential } = keystone
    const logins = {
      a: keystone,
      b: { ...credential, user: '', application_credential_id: '1f2e', project: 'docs', project_domain: 'Other' },
      c: { ...credential, user_domain: 'Default', application_credential_name: 'gateways' },
    }
    expect(renderRcloneConfig(logins)).toBe(`[a]
type = swift
auth_version = 3
auth = https://keystone.example:5000/v3
user = shares
key = one
domain = Default
tenant = docs
tenant_domain = Other
region = RegionOne
endpoint_type = internal

[b]
type = swift
auth_version = 3
auth = https://keystone.example:5000/v3
application_credential_id = 1f2e
application_credential_secret = one
endpoint_type = internal

[c]
type = swift
auth_version = 3
auth = https://keystone.example:5000/v3
user = shares
domain = Default
application_credential_name = gateways
application_credential_secret = one
endpoint_type = internal
`)
  })

  it('is refused when rclone would misread it, without the key in the sentence', () => {
    for (const key of ['%(user)s', 'two\nkey = x', ' blank ']) {
      const render = () => renderRcloneConfig({ a: login(key) })
      expect(render).toThrow(/misread/)
      expect(render).not.toThrow(key)
    }
  })

  it.skipIf(!hasRclone)('has names of Keystone that rclone reads as they are (where rclone is installed)', () => {
    const names = ['a b', 'a ;b', 'a #b', 'Größe', '"quoted" b', '`tick` b', "it's", 'a = b', '[x] y', '日本']
    const named = (project: string) => ({ ...login('one'), auth_version: 3 as const, project, region: project })
    const logins = Object.fromEntries(names.map((name, i) => [`r${i}`, named(name)]))
    const file = join(dir, 'names.conf')
    writeFileSync(file, renderRcloneConfig(logins))
    const read = JSON.parse(execFileSync('rclone', ['config', 'dump', '--config', file], { encoding: 'utf8' }))
    for (const [i, name] of names.entries()) expect(read[`r${i}`]).toMatchObject({ tenant: name, region: name })
  })

  it.skipIf(!hasRclone)('is read by rclone without a change of any value (where rclone is installed)', () => {
    const logins = Object.fromEntries(keys.map((key, i) => [`r${i}`, login(key)]))
    const file = join(dir, 'rclone.conf')
    writeFileSync(file, renderRcloneConfig(logins))
    const read = JSON.parse(execFileSync('rclone', ['config', 'dump', '--config', file], { encoding: 'utf8' }))
    for (const [i, key] of keys.entries()) expect(read[`r${i}`]).toMatchObject({ key, user: 'test:tester' })
  })
})
