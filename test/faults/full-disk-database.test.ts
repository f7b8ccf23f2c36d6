import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { controlPlaneEnv, startControlPlane } from '../support/http/control-plane.js'
import type { ControlPlaneProcess } from '../support/http/control-plane.js'
import { request } from '../support/http/request.js'
import { runRoost, runToEnd } from '../support/programs/processes.js'

const isEnabled = process.getuid?.() === 0 && process.env['ROOST_TEST_SYSTEM'] === '1'

/** Mounts a disk of the given size in memory. */
async function mountDisk(size: string): Promise<{ readonly path: string; remove(): Promise<void> }> {
  const path = await mkdtemp(join(tmpdir(), 'roost-full-'))
  const { code, stderr } = await runToEnd('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', path])
  if (code !== 0) throw new Error(stderr)
  return {
    path,
    async remove() {
      await runToEnd('umount', ['--lazy', path])
      await rm(path, { recursive: true })
    },
  }
}

describe.skipIf(!isEnabled)('a first start on a full disk (as root, with ROOST_TEST_SYSTEM=1)', () => {
  it('ends with the space that it needs, and leaves nothing behind', async () => {
    const disk = await mountDisk('20m')
    onTestFinished(() => disk.remove())
    const dataDir = join(disk.path, 'data')
    const { code, stderr } = await runRoost(['local', 'serve'], controlPlaneEnv(dataDir))
    expect([code, stderr]).toEqual([
      1,
      `roost: The disk of ${dataDir} has 20 MB available, and the first start needs 150 MB. Free some space, or set ROOST_DATA_DIR to a directory on another disk.\n`,
    ])
    expect(await readdir(disk.path)).toEqual([])
  })
})

describe.skipIf(!isEnabled)('a control plane on a full disk (as root, with ROOST_TEST_SYSTEM=1)', () => {
  let disk: Awaited<ReturnType<typeof mountDisk>>
  let roost: ControlPlaneProcess
  beforeAll(async () => {
    disk = await mountDisk('256m')
    roost = await startControlPlane({ dataDir: join(disk.path, 'data') })
  })
  afterAll(async () => {
    await roost?.stop()
    await disk.remove()
  })

  const get = (path: string) => request(roost, path)
  let users = 0
  const addUser = () => {
    const body = { cluster: 1, user: `user${(users += 1)}`, password: 'x'.repeat(900) }
    return request(roost, '/api/v1/users/', body, 'POST')
  }
  const fullMetric = async () => /^roost_database_disk_full (\d)$/m.exec(String((await get('/metrics')).body))?.[1]
  const reason = 'The disk of the database is full: nothing can be changed until there is free space.'

  it('reads, refuses writes, names the disk everywhere, and writes again when there is space', async () => {
    expect([(await addUser()).status, await fullMetric()]).toEqual([201, '0'])
    await writeFile(join(disk.path, 'fill'), Buffer.alloc(256 * 2 ** 20)).catch(() => {})

    let accepted = 1
    let answer = await addUser()
    // What fits into pages that exist is accepted.
    for (; answer.status === 201 && accepted < 2_000; accepted++) answer = await addUser()
    expect([answer.status, answer.body, answer.headers['retry-after']]).toEqual([503, { error: reason }, '5'])
    expect((await get('/readyz')).body).toEqual({ status: 'degraded', reason })
    expect(await fullMetric()).toBe('1')
    const env = { ROOST_DATA_DIR: roost.dataDir, PATH: process.env['PATH'] ?? '' }
    expect((await runRoost(['doctor'], env)).stdout).toMatch(new RegExp(`^database +fail +${reason}$`, 'm'))

    await rm(join(disk.path, 'fill'))
    // Found without a request.
    await expect.poll(fullMetric, { timeout: 30_000 }).toBe('0')
    expect((await get('/readyz')).body).toEqual({ status: 'ok' })
    expect((await addUser()).status).toBe(201)
    const stored = await get('/api/v1/users/?limit=1')
    expect(stored.body).toMatchObject({ meta: { total_count: accepted + 1 } })
  })
})
