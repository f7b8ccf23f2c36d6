import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { controlPlaneEnv, startControlPlane } from '../support/http/control-plane.js'
import { createTestDatabase } from '../support/database/database.js'
import { addCluster, addNode } from '../support/agents/fleet-rows.js'
import { runRoost } from '../support/programs/processes.js'
import { request } from '../support/http/request.js'

const database = await createTestDatabase()
let dataDir: string

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'roost-ca-'))
})
afterAll(async () => {
  await database.drop()
  await rm(dataDir, { recursive: true })
})

function replaceCa() {
  return runRoost(['local', 'replace-ca'], controlPlaneEnv(dataDir))
}

async function authorities(): Promise<readonly string[]> {
  return (await readFile(join(dataDir, 'ca.pem'), 'utf8')).match(/-----BEGIN[^-]+-----[^-]+-----END[^-]+-----/g) ?? []
}

/** Serves once, and answers how a client fares that trusts these authorities alone. */
async function servedTo(trusted: readonly string[] | undefined): Promise<number | string> {
  const roost = await startControlPlane({ dataDir, env: { DATABASE_URL: database.url } })
  try {
    const ca = trusted?.join('\n') ?? roost.ca
    return (await request({ ...roost, ca }, '/healthz')).status
  } catch {
    return 'refused'
  } finally {
    await roost.stop()
  }
}

describe('roost local replace-ca', { timeout: 300_000 }, () => {
  it('needs an authority to replace', async () => {
    expect(await replaceCa()).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('no certificate authority of Roost'),
    })
  })

  it('keeps the old one serving while a node has not learned the new one, then lets the new one take over', async () => {
    expect(await servedTo(undefined)).toBe(200)
    const [old] = await authorities()
    const node = await addNode(database, await addCluster(database), { createdAt: new Date(Date.now() - 3_600_000) })
    expect(await replaceCa()).toMatchObject({ code: 0, stdout: expect.stringContaining('Created the new authority') })
    expect(await replaceCa()).toMatchObject({ code: 0, stdout: expect.stringContaining('already being replaced') })

    expect(await servedTo([old ?? ''])).toBe(200)
    const both = await authorities()
    expect(both).toHaveLength(2)
    expect(both[0]).toBe(old)

    await database.prisma.node.update({ where: { id: node }, data: { lastSeen: new Date(Date.now() + 3_600_000) } })
    expect(await servedTo([both[1] ?? ''])).toBe(200)
    expect(await authorities()).toEqual([both[1]])
    expect(await servedTo([old ?? ''])).toBe('refused')
  })
})
