import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { openMachine } from '../../machine/machine.js'
import { reloadCost } from './reload-cost.js'

let root: string
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'roost-accept-queue-'))
})
afterEach(() => rm(root, { recursive: true }))

const setTo = async (value: string) => {
  await mkdir(join(root, 'proc/sys/net/ipv4'), { recursive: true })
  await writeFile(join(root, 'proc/sys/net/ipv4/tcp_migrate_req'), value)
}

it('costs nothing when the kernel moves the queue of the old socket', async () => {
  await setTo('1\n')
  expect(reloadCost(openMachine(root))).toBeNull()
})

it('is reported with the setting that prevents it when the kernel resets the queue', async () => {
  const cost = expect.stringContaining('set net.ipv4.tcp_migrate_req = 1')
  expect(reloadCost(openMachine(root))).toEqual(cost)
  await setTo('0\n')
  expect(reloadCost(openMachine(root))).toEqual(cost)
})
