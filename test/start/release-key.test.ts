import { createPublicKey, verify } from 'node:crypto'
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { useFolder } from '../support/programs/folder.js'
import { runToEnd } from '../support/programs/processes.js'

const folder = await useFolder('release-key')
const signer = fileURLToPath(new URL('../../scripts/package/sign.js', import.meta.url))

/** Runs the part of `npm run package` that signs, in a clone. */
async function sign(clone: string, env: Readonly<Record<string, string>> = {}) {
  const out = join(clone, 'out')
  await mkdir(out, { recursive: true })
  writeFileSync(join(out, 'roost-agent_1.0.0_amd64.deb'), 'package')
  const script = `const { releaseKey, signAll } = await import(${JSON.stringify(signer)})
    const key = releaseKey(${JSON.stringify(clone)}); signAll(${JSON.stringify(out)}, key)`
  const { PATH = '' } = process.env
  return {
    out,
    ...(await runToEnd(process.execPath, ['--input-type=module', '-e', script], { env: { PATH, ...env } })),
  }
}

async function newClone(name: string): Promise<string> {
  const clone = join(folder, name)
  expect((await runToEnd('git', ['init', '-q', clone])).code).toBe(0)
  return clone
}

describe('the key that signs packages', () => {
  it('is made once for a clone, in its .git folder, for this account alone', async () => {
    const clone = await newClone('one')
    const path = join(clone, '.git/roost-release-key.pem')
    expect(await sign(clone)).toMatchObject({ code: 0, stdout: `Signed with ${path}.\n`, stderr: '' })
    const first = readFileSync(path, 'utf8')
    expect(statSync(path).mode & 0o777).toBe(0o600)
    const { out } = await sign(clone)
    expect(readFileSync(path, 'utf8')).toBe(first)
    const signature = Buffer.from(readFileSync(join(out, 'roost-agent_1.0.0_amd64.deb.sig'), 'utf8'), 'base64')
    const published = createPublicKey(readFileSync(join(out, 'release.pub')))
    expect(published.export({ type: 'spki', format: 'pem' })).toBe(
      createPublicKey(first).export({ type: 'spki', format: 'pem' }),
    )
    expect(verify(null, Buffer.from('package'), published, signature)).toBe(true)
    expect(verify(null, Buffer.from('packagE'), published, signature)).toBe(false)
    expect((await runToEnd('git', ['status', '--porcelain'], { cwd: clone })).stdout).not.toContain('release-key')
  })

  it('is the one of ROOST_RELEASE_KEY, and then none is made', async () => {
    const [one, two] = [await newClone('given'), await newClone('other')]
    await sign(one)
    const ROOST_RELEASE_KEY = join(one, '.git/roost-release-key.pem')
    const { code, stdout, out } = await sign(two, { ROOST_RELEASE_KEY })
    expect([code, stdout]).toEqual([0, `Signed with ${ROOST_RELEASE_KEY}.\n`])
    expect(readFileSync(join(out, 'release.pub'), 'utf8')).toBe(readFileSync(join(one, 'out/release.pub'), 'utf8'))
    expect(() => statSync(join(two, '.git/roost-release-key.pem'))).toThrow('ENOENT')
  })

  it('has to be there, and of Ed25519', async () => {
    const clone = await newClone('wrong')
    const missing = await sign(clone, { ROOST_RELEASE_KEY: join(folder, 'nowhere.pem') })
    expect([missing.code, missing.stderr]).toEqual([1, expect.stringContaining('nowhere.pem')])
    const rsa = join(folder, 'rsa.pem')
    expect((await runToEnd('openssl', ['genrsa', '-out', rsa, '2048'])).code).toBe(0)
    const wrong = await sign(clone, { ROOST_RELEASE_KEY: rsa })
    expect([wrong.code, wrong.stderr]).toEqual([1, expect.stringContaining(`${rsa} must be an Ed25519 key.`)])
  })
})
