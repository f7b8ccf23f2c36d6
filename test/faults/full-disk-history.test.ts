import { open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { openDatabase } from '@roost/database'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { windowMs } from '../history/support.js'
import { windowsOf } from '../history/windows.js'
import { addCluster } from '../support/agents/fleet-rows.js'
import { insertNodes } from '../support/agents/nodes.js'
import type { EnrolledNode } from '../support/agents/nodes.js'
import { startControlPlane } from '../support/http/control-plane.js'
import type { ControlPlaneProcess } from '../support/http/control-plane.js'
import { mountSmallDisk } from '../support/programs/small-disk.js'
import type { SmallDisk } from '../support/programs/small-disk.js'

vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 })

const isEnabled = process.getuid?.() === 0 && process.env['ROOST_TEST_SYSTEM'] === '1'
/** So many that they do not fit into pages that the database has. */
const count = 300
const from = Math.floor(Date.now() / windowMs) * windowMs - count * windowMs

describe.skipIf(!isEnabled)('the history on a disk that fills (as root, with ROOST_TEST_SYSTEM=1)', () => {
  let disk: SmallDisk
  let roost: ControlPlaneProcess
  let node: EnrolledNode
  const windows = windowsOf(
    () => roost,
    () => node,
    from,
  )
  beforeAll(async () => {
    disk = await mountSmallDisk('300m')
    roost = await startControlPlane({ dataDir: join(disk.path, 'data') })
    const database = openDatabase({ host: join(roost.dataDir, 'run'), user: 'postgres', database: 'roost' })
    ;[node] = (await insertNodes(database, await addCluster(database), 1)) as [EnrolledNode]
    await database.close()
  })
  afterAll(async () => {
    await roost?.stop()
    await disk.remove()
  })

  /** Fills the disk to its last byte while other things go on. */
  async function fill(): Promise<void> {
    const file = await open(join(disk.path, 'fill'), 'w')
    const megabyte = Buffer.alloc(2 ** 20)
    try {
      for (;;) await file.write(megabyte)
    } catch {
      // There is no space left.
    } finally {
      await file.close()
    }
  }

  it('has each chunk once and every value, sent again until there is space', async () => {
    let filling: Promise<void> | undefined
    const acknowledged = await windows.send(1, count, async (until) => {
      if (until >= 20) filling ??= fill()
      // Chunks may be stored sooner than a disk is filled.
      if (until >= 60) await filling
      return false
    })
    await filling
    expect(acknowledged).toBeGreaterThanOrEqual(20)
    expect(acknowledged).toBeLessThan(count)
    // What was acknowledged is there; of the others there are no values, and no zeros.
    expect(await windows.read(acknowledged)).toEqual(windows.expected(acknowledged))

    await rm(join(disk.path, 'fill'))
    let last = acknowledged
    for (const deadline = Date.now() + 120_000; last < count && Date.now() < deadline; await sleep(500))
      last = await windows.send(last + 1, count)
    expect(await windows.read(count)).toEqual(windows.expected(count))
  })
})
