import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { bundleName, type BundlePart, writeBundle } from './bundle.js'
import { createRedaction } from './redaction.js'

const now = new Date('2026-11-24T01:30:00Z')

describe('writeBundle', () => {
  let dir: string
  let path: string
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'roost-bundle-'))
    path = join(dir, 'bundle.tar.gz')
  })
  afterEach(() => rmSync(dir, { recursive: true }))

  const write = (parts: readonly BundlePart[], secrets: readonly string[] = []) =>
    writeBundle({ path, folder: 'bundle', parts, secrets, now })

  it('writes what tar unpacks, with the reason of each part that is missing', async () => {
    const text = 'ä'.repeat(700)
    await write([
      { file: 'text.txt', collect: async () => text },
      { file: 'value.json', collect: async () => ({ one: 1 }) },
      { file: 'empty.txt', collect: async () => '' },
      { file: 'fault.txt', collect: () => Promise.reject(new Error('It hung: password=hunter22.')) },
    ])
    expect(statSync(path).mode & 0o777).toBe(0o600)
    execFileSync('tar', ['-xzf', path, '-C', dir])
    const read = (file: string) => readFileSync(join(dir, 'bundle', file), 'utf8')
    expect(readdirSync(join(dir, 'bundle')).toSorted()).toEqual([
      'contents.json',
      'empty.txt',
      'text.txt',
      'value.json',
    ])
    expect([read('text.txt'), read('empty.txt'), read('value.json')]).toEqual([text, '', '{\n  "one": 1\n}\n'])
    expect(JSON.parse(read('contents.json'))).toEqual({
      created: '2026-11-24T01:30:00.000Z',
      files: ['text.txt', 'value.json', 'empty.txt'],
      missing: { 'fault.txt': 'It hung: password="[hidden]"' },
    })
  })

  it('overwrites no file', async () => {
    await write([])
    await expect(write([])).rejects.toThrow(/EEXIST/)
  })
})

it('bundleName has the program, the host and the time', () => {
  expect(bundleName('roost-agent', 'gw-1.example/x', now)).toBe('roost-agent-support-gw-1.example_x-20261124-013000')
})

describe('createRedaction', () => {
  it('hides known secrets in every form', () => {
    const secret = 'p"ss/w örd'
    const redact = createRedaction([secret, '  spaced-secret\n', 'abc'])
    const texts = [secret, JSON.stringify(secret), encodeURIComponent(secret), Buffer.from(secret).toString('base64')]
    expect(texts.map(redact)).toEqual(['[hidden]', '"[hidden]"', '[hidden]', '[hidden]'])
    expect(redact('a spaced-secret, and abc')).toBe('a [hidden], and abc')
  })

  it.each([
    ['postgresql://roost:S3CR3T@db:5432/roost', 'postgresql://roost:[hidden]@db:5432/roost'],
    ['-----BEGIN PRIVATE KEY-----\nMIG\n-----END PRIVATE KEY-----\nrest', '[hidden]\nrest'],
    ['{"k":"-----BEGIN EC PRIVATE KEY-----\\nMIG', '{"k":"[hidden]'],
    ['Authorization: apikey admin:abcdef', 'Authorization: apikey [hidden]'],
    ['{"password":"hun ter2","ok":true}', '{"password":"[hidden]","ok":true}'],
    ['{"msg":"{\\"password\\":\\"hunter22\\"}"}', '{"msg":"{\\"password\\":"[hidden]"}"}'],
    ['cifs_password = hunter22, next', 'cifs_password = "[hidden]", next'],
    ['roost-agent enroll --token abcdefgh --x', 'roost-agent enroll --token "[hidden]" --x'],
    ['user_admin_admin = admin .admin', 'user_admin_admin = [hidden] .admin'],
    ['X-Auth: AUTH_tk0123456789abcdef', 'X-Auth: AUTH_tk[hidden]'],
    [`key ${'aB3_'.repeat(8)}.`, 'key [hidden].'],
    [`${'ab'.repeat(20)} is a token`, '[hidden] is a token'],
  ])('hides the secret in %j', (text, redacted) => {
    expect(createRedaction([])(text)).toBe(redacted)
  })

  it.each([
    '{"has_password": true, "password": null, "tokens": [1, 2], "token_life": 86400}',
    'https://roost.example:8443/api/v1/nodes/7/',
    '3f0e9a8c-6a1e-4b7e-9d55-0a3d2f1b4c5d',
    `sha256 ${'0a'.repeat(32)}`,
    '/usr/lib/roost/1.2.0/main.js:10:5',
    'the token of the node was used',
  ])('leaves %j', (text) => {
    expect(createRedaction([])(text)).toBe(text)
  })
})
