import { readFileSync, writeFileSync } from 'node:fs'
import { Agent, request } from 'undici'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startControlPlane } from '../support/http/control-plane.js'
import type { ControlPlaneProcess } from '../support/http/control-plane.js'
import { createTestDatabase } from '../support/database/database.js'
import type { TestDatabase } from '../support/database/database.js'

let database: TestDatabase
let roost: ControlPlaneProcess
let agent: Agent
beforeAll(async () => {
  database = await createTestDatabase()
  roost = await startControlPlane({ env: { DATABASE_URL: database.url } })
  agent = new Agent({ connect: { ca: roost.ca }, connections: 8 })
})
afterAll(async () => {
  await agent.destroy()
  await roost.stop()
  await database.drop()
})

const mib = 1024 * 1024
const memory = (line: 'VmRSS' | 'VmHWM') => {
  const status = readFileSync(`/proc/${roost.pid}/status`, 'utf8')
  return Number(new RegExp(`^${line}:\\s+(\\d+) kB`, 'm').exec(status)?.[1]) * 1024
}
const tooLarge = JSON.stringify({ x: 'x'.repeat(10 * mib) })
const hostile = [
  '['.repeat(mib - 1),
  `{"x":${'['.repeat(5_000)}${']'.repeat(5_000)}}`,
  `{${Array.from({ length: 100_000 }, (_, i) => `"${i.toString(36)}":1`).join()}}`,
  '"'.repeat(mib - 1),
]

async function send(body: string): Promise<number> {
  const headers = { authorization: `apikey ${roost.key}`, 'content-type': 'application/json' }
  try {
    const answer = await request(`${roost.url}/api/v1/users/`, { dispatcher: agent, method: 'POST', headers, body })
    await answer.body.dump()
    return answer.statusCode
  } catch (error) {
    // The server does not wait for the rest of what it refuses: whoever still sends finds the connection closed.
    if (!/^(?:ECONNRESET|EPIPE|UND_ERR_SOCKET)$/.test((error as { code?: string }).code ?? '')) throw error
    return 413
  }
}
const many = (body: string, times: number) => Promise.all(Array.from({ length: times }, () => send(body)))

it('bodies that are too large take no memory: they are refused without being kept', async () => {
  await many(tooLarge, 40)
  // The peak is counted from now on.
  writeFileSync(`/proc/${roost.pid}/clear_refs`, '5')
  const before = memory('VmRSS')
  for (let round = 0; round < 5; round++) expect(new Set(await many(tooLarge, 8))).toEqual(new Set([413]))
  expect((memory('VmHWM') - before) / mib).toBeLessThan(20)
})

it('bodies that are hostile in other ways leave the process as small as it was', async () => {
  const round = async () => {
    for (const body of hostile) expect(await send(body)).toBe(400)
  }
  for (let count = 0; count < 10; count++) await round()
  const before = memory('VmRSS')
  for (let count = 0; count < 20; count++) await round()
  expect((memory('VmRSS') - before) / mib).toBeLessThan(20)
})
