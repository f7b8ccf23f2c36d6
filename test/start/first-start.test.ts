import { createHash } from 'node:crypto'
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openDatabase } from '@roost/database'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { controlPlaneEnv, startControlPlane } from '../support/http/control-plane.js'
import type { ControlPlaneProcess } from '../support/http/control-plane.js'
import { processesNaming, runRoost, runToEnd } from '../support/programs/processes.js'

let dataDir: string
let roost: ControlPlaneProcess

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'roost start-'))
  roost = await startControlPlane({ dataDir })
})
afterAll(async () => {
  await roost.stop()
  await rm(dataDir, { recursive: true })
})

describe('the first start', () => {
  it('writes the first operator’s key once, for its owner alone', async () => {
    const path = join(dataDir, 'admin.apikey')
    expect(await readFile(path, 'utf8')).toMatch(/^admin:[\w-]{27,}\n$/)
    expect((await stat(path)).mode & 0o777).toBe(0o600)
  })

  it('keeps nothing of the key but its SHA-256', async () => {
    const database = openDatabase({ host: join(dataDir, 'run'), user: 'postgres', database: 'roost' })
    const keys = await database.prisma.apiKey.findMany({ include: { operator: true } })
    await database.close()
    const key = roost.key.slice('admin:'.length)
    expect(keys).toHaveLength(1)
    expect(keys[0]?.operator).toMatchObject({ name: 'admin', role: 'admin', enabled: true })
    expect(Buffer.from(keys[0]?.digest ?? [])).toEqual(createHash('sha256').update(key).digest())
    expect(roost.output()).not.toContain(key)
  })

  it('prints the address, the CA, the key’s file and a line of curl that works when pasted', async () => {
    expect(roost.output()).toContain(`Roost is at https://localhost:${new URL(roost.url).port}`)
    expect(roost.output()).toContain(`CA to trust  ${dataDir}/ca.pem`)
    expect(roost.output()).toMatch(/^ {2}database {5}PostgreSQL 18\.\d+, embedded: for production, set DATABASE_URL$/m)
    expect(roost.output()).toContain(`first key    ${dataDir}/admin.apikey`)
    const line = /^ {2}(curl .*)$/m.exec(roost.output())?.[1] ?? ''
    const { stdout } = await runToEnd('bash', ['-c', `${line} --silent`], { env: { PATH: process.env['PATH'] ?? '' } })
    expect(JSON.parse(stdout)).toMatchObject({ meta: { total_count: 1 }, objects: [{ name: 'default' }] })
  })

  it('refuses a second one on the same data directory in a sentence', async () => {
    const { code, stderr } = await runRoost(['local', 'serve'], controlPlaneEnv(dataDir))
    expect(code).toBe(1)
    expect(stderr).toBe(
      `roost: Another Roost (process ${roost.pid}) runs on ${dataDir}. Stop it first, or set ROOST_DATA_DIR to another directory.\n`,
    )
  })

  it('ends every process that it started, and keeps everything for the next', async () => {
    expect(processesNaming(dataDir)).not.toHaveLength(0)
    expect(await roost.stop()).toBe(0)
    expect(processesNaming(dataDir)).toHaveLength(0)
    const { key } = roost
    roost = await startControlPlane({ dataDir })
    expect(roost.key).toBe(key)
  })
})
