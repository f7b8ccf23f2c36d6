import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createSecrets, loadSecretKeys, SecretError } from './secrets.js'
import { StartError } from '../lifecycle/start-error.js'

let dir = ''
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'roost-secrets-'))
})
afterEach(() => rm(dir, { recursive: true }))

const key = (id: string, fill: number) => ({ id, key: new Uint8Array(32).fill(fill) })

describe('a sealed secret', () => {
  const secrets = createSecrets([key('00000001', 1)])

  it('opens again, and looks different each time', () => {
    const sealed = secrets.seal('user-password', 'correct horse battery')
    expect(secrets.open('user-password', sealed)).toBe('correct horse battery')
    expect(sealed).not.toEqual(secrets.seal('user-password', 'correct horse battery'))
    expect(Buffer.from(sealed).includes('horse')).toBe(false)
  })

  it('does not open for another purpose', () => {
    const sealed = secrets.seal('user-password', 'correct horse battery')
    expect(() => secrets.open('share-password', sealed)).toThrow(SecretError)
  })

  it('does not open when a single bit was altered', () => {
    const sealed = secrets.seal('user-password', 'x')
    for (const at of sealed.keys()) {
      const altered = sealed.slice()
      altered[at] = (altered[at] ?? 0) ^ 1
      expect(() => secrets.open('user-password', altered)).toThrow(SecretError)
    }
    expect(() => secrets.open('user-password', sealed.slice(0, 20))).toThrow('damaged')
  })

  it('still opens after a new key came, which seals from then on', () => {
    const sealed = secrets.seal('user-password', 'x')
    const rotated = createSecrets([key('00000002', 2), key('00000001', 1)])
    expect(rotated.open('user-password', sealed)).toBe('x')
    expect(() => secrets.open('user-password', rotated.seal('user-password', 'x'))).toThrow(
      'encrypted with key 00000002, which is not in secrets.key',
    )
  })
})

describe('the key file', () => {
  it('is made once, for its owner alone', async () => {
    const path = join(dir, 'secrets.key')
    const [first, again] = await Promise.all([loadSecretKeys(path), loadSecretKeys(path)])
    expect(first).toHaveLength(1)
    expect(again).toEqual(first)
    expect(await loadSecretKeys(path)).toEqual(first)
    expect((await stat(path)).mode & 0o777).toBe(0o600)
    expect(await readFile(path, 'utf8')).toMatch(/^[0-9a-f]{8} [A-Za-z0-9+/]{43}=\n$/)
  })

  it.each(['', 'nonsense\n', `00000001 ${'A'.repeat(10)}=\n`])('is refused when damaged: %j', async (text) => {
    const path = join(dir, 'secrets.key')
    await writeFile(path, text)
    await expect(loadSecretKeys(path)).rejects.toThrow(StartError)
    await expect(loadSecretKeys(path)).rejects.toThrow(`${path} is damaged`)
  })
})
