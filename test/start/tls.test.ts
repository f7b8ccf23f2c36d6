import { X509Certificate } from 'node:crypto'
import { chmod, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { refreshIdentity } from '@roost/control-plane/dist/tls/authority.js'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { controlPlaneEnv, startControlPlane } from '../support/http/control-plane.js'
import { createTestDatabase } from '../support/database/database.js'
import type { TestDatabase } from '../support/database/database.js'
import { runRoost } from '../support/programs/processes.js'
import { request } from '../support/http/request.js'

// The key file of a data directory belongs to one database.
let database: TestDatabase
beforeEach(async () => {
  database = await createTestDatabase()
})
afterEach(() => database.drop())

const isRoot = process.getuid?.() === 0

describe('ROOST_TLS', () => {
  it('off: serves plain HTTP on loopback, and prints a line of curl without a CA', async () => {
    const roost = await startControlPlane({ env: { DATABASE_URL: database.url, ROOST_TLS: 'off' } })
    expect(roost.url).toMatch(/^http:/)
    expect(roost.ca).toBe('')
    expect(roost.output()).toMatch(/^ {2}curl -H "Authorization: apikey \S+ \S+" http:\/\/localhost:\d+\//m)
    expect((await request(roost, '/healthz')).status).toBe(200)
    await roost.stop()
  })

  it('files: serves the certificate of the files', async () => {
    const dir = await mkdtemp(join(tmpdir(), 'roost-files-'))
    const names = ['localhost', '127.0.0.1', 'roost.example']
    const made = await refreshIdentity({ dataDir: dir, names, now: Date.now, everyNodeKnows: async () => true })
    const [cert, key] = [join(dir, 'cert.pem'), join(dir, 'key.pem')]
    await writeFile(cert, made.cert)
    await writeFile(key, made.key)
    const files = { ROOST_TLS: 'files', ROOST_TLS_CERT: cert, ROOST_TLS_KEY: key }
    const roost = await startControlPlane({ env: { DATABASE_URL: database.url, ...files } })
    expect((await request({ ...roost, ca: made.trusted.join('') }, '/healthz')).status).toBe(200)
    expect(new X509Certificate(made.cert).checkHost('roost.example')).toBe('roost.example')
    await roost.stop()
    await rm(dir, { recursive: true })
  })

  it('files: refuses a key that is not the certificate’s, in a sentence', async () => {
    const dir = await mkdtemp(join(tmpdir(), 'roost-files-'))
    await writeFile(join(dir, 'cert.pem'), 'no certificate')
    await writeFile(join(dir, 'key.pem'), 'no key')
    const files = { ROOST_TLS: 'files', ROOST_TLS_CERT: join(dir, 'cert.pem'), ROOST_TLS_KEY: join(dir, 'key.pem') }
    const env = controlPlaneEnv(dir, { DATABASE_URL: database.url, ROOST_LOG_LEVEL: 'error', ...files })
    const { code, stderr } = await runRoost(['local', 'serve'], env)
    expect(stderr).toMatch(
      /^roost: \S+\/key\.pem is not the key of the certificate in \S+\/cert\.pem\. Both files must be PEM\.\n$/,
    )
    expect(code).toBe(1)
    await rm(dir, { recursive: true })
  })
})

describe('roost local set-certificate', () => {
  it('installs what clients and agents accept, and nothing else', async () => {
    const dir = await mkdtemp(join(tmpdir(), 'roost-files-'))
    const [cert, key] = [join(dir, 'cert.pem'), join(dir, 'key.pem')]
    /** Issues a certificate of the authority in a folder; another list of names is another certificate. */
    const issue = async (authority: string, names: readonly string[], now = Date.now) => {
      const made = await refreshIdentity({
        dataDir: join(dir, authority),
        names,
        now,
        everyNodeKnows: async () => true,
      })
      await writeFile(join(dir, 'next.pem'), made.cert)
      await writeFile(join(dir, 'next.key'), made.key)
      return made
    }
    const names = ['localhost', '127.0.0.1']
    const first = await issue('one', names)
    await writeFile(cert, first.cert)
    await writeFile(key, first.key)
    const files = { ROOST_TLS: 'files', ROOST_TLS_CERT: cert, ROOST_TLS_KEY: key }
    const env = controlPlaneEnv(dir, { ...files, ROOST_PUBLIC_URL: 'https://roost.example' })
    const set = (...flags: readonly string[]) =>
      runRoost(['local', 'set-certificate', join(dir, 'next.pem'), join(dir, 'next.key'), ...flags], env)
    const refused = async (reason: string) => {
      expect(await set()).toMatchObject({ code: 1, stderr: expect.stringContaining(reason) })
      expect(await readFile(cert, 'utf8')).toBe(first.cert)
    }

    await issue('one', [...names, 'other.example'])
    await refused('does not cover roost.example of ROOST_PUBLIC_URL, only DNS:localhost')
    const other = await issue('two', [...names, 'roost.example'])
    await refused('is not issued by the private authority of the present certificate')
    await issue('three', [...names, 'roost.example'], () => Date.now() - 4e10)
    await refused('Renew it first.')
    const next = await issue('one', [...names, 'roost.example'])
    await writeFile(join(dir, 'next.key'), other.key)
    await refused('next.key is not the key of the certificate in')

    await writeFile(join(dir, 'next.key'), next.key)
    expect(await set()).toMatchObject({ code: 0, stdout: expect.stringContaining('valid until') })
    expect((await stat(key)).mode & 0o777).toBe(0o600)
    expect(await readFile(cert, 'utf8')).toBe(next.cert)
    await issue('two', [...names, 'roost.example'])
    expect(await set('--force')).toMatchObject({ code: 0 })
    await rm(dir, { recursive: true })
  })

  it('says which variables it needs', async () => {
    const dir = await mkdtemp(join(tmpdir(), 'roost-files-'))
    const { code, stderr } = await runRoost(['local', 'set-certificate', 'a', 'b'], controlPlaneEnv(dir))
    expect([code, stderr]).toEqual([
      4,
      expect.stringContaining('Set ROOST_TLS=files, ROOST_TLS_CERT and ROOST_TLS_KEY'),
    ])
    await rm(dir, { recursive: true })
  })
})

describe('the embedded database of root', () => {
  // Needs root: an ordinary account runs its own database.
  it.skipIf(!isRoot)('says which directory its account may not pass through', async () => {
    const home = await mkdtemp(join(tmpdir(), 'roost-private-'))
    await chmod(home, 0o700)
    const env = controlPlaneEnv(join(home, 'data'), { ROOST_LOG_LEVEL: 'error' })
    const { code, stderr } = await runRoost(['local', 'serve'], env)
    expect(stderr).toBe(
      `roost: The account postgres, which runs the database, has no permission to pass through ${home}. Set another ROOST_DATA_DIR, or run \`chmod o+x ${home}\`.\n`,
    )
    expect(code).toBe(1)
    await rm(home, { recursive: true })
  })
})
