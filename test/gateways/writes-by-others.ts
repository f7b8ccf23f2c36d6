import { describe, expect, it } from 'vitest'
import type { GatewayLab } from '../support/gateway/lab.js'

const isLong = process.env.ROOST_TEST_LONG === '1'
const promisedSeconds = 65

export function describeWritesByOthers(lab: GatewayLab): void {
  describe('objects that others write', () => {
    it.runIf(isLong)(`are seen by NFS clients within ${promisedSeconds} s: new, changed and removed ones`, async () => {
      const share = await lab.addShare({ name: 'others', objectstore_container: 'others' })
      await lab.deployed()
      /** The size of each file, as NFS lists it. */
      const listed = async () =>
        Object.fromEntries(
          (await lab.nfsList(share.name)).stdout
            .split('\n')
            .map((line) => line.trim().split(/\s+/))
            .filter((columns) => columns.at(-1)?.endsWith('.txt'))
            .map((columns) => [columns.at(-1), columns.at(-2)]),
        )
      const seen = async (what: string, change: () => Promise<void>, files: Readonly<Record<string, string>>) => {
        await change()
        const since = Date.now()
        await expect.poll(listed, { timeout: 3 * promisedSeconds * 1000, interval: 500 }).toEqual(files)
        console.log(
          `NFS: ${what} seen after ${Math.round((Date.now() - since) / 1000)} s (promised ${promisedSeconds} s)`,
        )
      }
      await lab.makeFile('others.bin', 10)
      expect(await lab.nfsPut('others.bin', share.name, 'own.txt')).toMatchObject({ code: 0 })
      await expect.poll(() => lab.objects.list('others'), { timeout: 180_000 }).toEqual(['own.txt'])
      await seen('a new object', () => lab.objects.put('others', 'new.txt', 'four'), {
        'own.txt': '10',
        'new.txt': '4',
      })
      await seen('a changed object', () => lab.objects.put('others', 'new.txt', 'changed'), {
        'own.txt': '10',
        'new.txt': '7',
      })
      await seen('a removed object', () => lab.objects.remove('others', 'new.txt'), { 'own.txt': '10' })
    })
  })
}
