import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createClient } from '@roost/api-types'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { controlPlaneEnv, startControlPlane } from '../support/http/control-plane.js'
import type { ControlPlaneProcess } from '../support/http/control-plane.js'
import { runRoost } from '../support/programs/processes.js'
import { request } from '../support/http/request.js'

vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 })
let home = ''
let roost: ControlPlaneProcess | undefined
const path = (name: string) => join(home, name)
const runIn = (dataDir: string, ...args: readonly string[]) => runRoost(args, controlPlaneEnv(path(dataDir)))

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'roost-embedded-'))
  await chmod(home, 0o711) // the account of the embedded server passes through
  const started = await startControlPlane({ dataDir: path('here') })
  roost = started
  const { rpc, close } = createClient({ url: started.url, ca: started.ca, apiKey: started.key })
  const { id: cluster } = await rpc.clusters.create.mutate({ name: 'kept' })
  await rpc.users.create.mutate({ cluster, user: 'bob', password: 'correct-horse-battery-staple' })
  await close()
})
afterAll(async () => {
  await roost?.stop()
  await rm(home, { recursive: true, force: true })
})

it('an installation with its own database is the same on another machine, and again in the place of another', async () => {
  if (roost === undefined) throw new Error('Nothing was started.')
  const here = roost
  expect(await runIn('here', 'local', 'backup', path('one.backup'))).toMatchObject({ code: 0, stderr: '' })
  const lists = ['users', 'clusters', 'audit_events'].map((name) => `/api/v1/${name}/?limit=0`)
  const kept = await Promise.all(lists.map(async (list) => (await request(here, list)).body))
  for (const force of [[], ['--force']]) {
    const restored = await runIn('there', 'local', 'restore', path('one.backup'), ...force)
    expect(restored).toMatchObject({ code: 0, stderr: '' })
    const other = await startControlPlane({ dataDir: path('there') })
    expect(other.key).toBe(here.key)
    for (const [index, list] of lists.entries()) expect((await request(other, list)).body).toEqual(kept[index])
    const { rpc, close } = createClient({ url: other.url, ca: other.ca, apiKey: other.key })
    await rpc.clusters.create.mutate({ name: 'made afterwards' })
    await close()
    expect(await other.stop()).toBe(0)
  }
})
