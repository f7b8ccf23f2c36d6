import { X509Certificate } from 'node:crypto'
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
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
