import type { GatewayShare, Node } from '@roost/api-types/rest'
import { describe, expect, it } from 'vitest'
import type { GatewayLab } from '../support/gateway/lab.js'
import { plainFiles, saveFiles } from '../support/gateway/saves.js'
import type { Protocol, Saves } from '../support/gateway/saves.js'
import { waitForUpload, uploadSummary } from '../support/gateway/uploaded.js'

const isLong = process.env.ROOST_TEST_LONG === '1'
const fileBytes = 4 << 20
const protocols = ['smb', 'nfs'] as const

/** What both protocols write together, to a cache on a disk of its own. */
interface Load {
  readonly name: string
  readonly diskMb: number
  readonly cacheMb: number
  readonly files: number
  /** Null: as fast as the share takes it. */
  readonly bytesPerSecond: number | null
}

const paced: Load = isLong
  ? { name: '1 GB at 8 MB/s', diskMb: 600, cacheMb: 300, files: 256, bytesPerSecond: 8e6 }
  : { name: '109 MB at 4 MB/s', diskMb: 96, cacheMb: 32, files: 26, bytesPerSecond: 4e6 }
const unthrottled: Load = { name: '2 GB unthrottled', diskMb: 600, cacheMb: 300, files: 512, bytesPerSecond: null }

/** Removes every share, and gives the cache a small disk: what tests the defaults of the cache comes before. */
export function describeFullCache(lab: GatewayLab): void {
  describe('a cache on a small disk', () => {
    const removeShares = async () => {
      const shares: GatewayShare[] = (await lab.get('/api/v1/gateway_shares/?limit=0')).objects
      for (const { resource_uri } of shares) await lab.remove(resource_uri)
      await lab.deployed()
      const rclones = async () => (await lab.gateway.run('pgrep', ['-c', '-x', 'rclone'])).stdout.trim()
      await expect.poll(rclones, { timeout: 600_000, interval: 500 }).toBe('0')
    }

    const mountDisk = async (load: Load) => {
      const cache = `${lab.gateway.dir}/agent/mounts/cache`
      await lab.swift.machine.exec(`umount ${cache} 2>/dev/null || true
        truncate -s ${load.diskMb}M cache.img && mkfs.ext4 -q -F cache.img
        mkdir -p ${cache} && mount -o loop cache.img ${cache}`)
    }

    const addShares = async ({ cacheMb, files }: Load) => {
      const shares: GatewayShare[] = []
      for (const protocol of protocols)
        shares.push(
          await lab.addShare({
            name: `full-${files}-${protocol}`,
            objectstore_container: `full-${files}-${protocol}`,
            protocol: protocol === 'smb' ? 'cifs' : 'nfs',
            cache_size_mb: cacheMb,
          }),
        )
      await lab.deployed()
      return shares
    }

    const run = async (load: Load, shares: readonly GatewayShare[]): Promise<readonly Saves[]> => {
      const each = load.bytesPerSecond === null ? {} : { bytesPerSecond: load.bytesPerSecond / protocols.length }
      const running = await Promise.all(
        protocols.map((protocol, i) =>
          saveFiles(
            lab.swift,
            { protocol, share: shares[i]?.name ?? '', ...each },
            plainFiles(load.files / protocols.length, fileBytes),
          ),
        ),
      )
      return Promise.all(running.map(({ ended }) => ended))
    }

    const problems = async () => ((await lab.get(lab.node)) as Node).problems.map(({ code }) => code)

    /** Saves one more file, again until the share takes it; answers when it did. */
    const servesAgainAt = async (protocol: Protocol, share: string): Promise<number> => {
      for (;;) {
        const { saved, endedAt } = await (
          await saveFiles(lab.swift, { protocol, share }, plainFiles(1, 5_000, 9_000))
        ).ended
        if (saved.length === 1) return endedAt
      }
    }

    it(`takes ${paced.name}, with nothing truncated or lost and no slow call`, async () => {
      await removeShares()
      await mountDisk(paced)
      const shares = await addShares(paced)
      const all = await run(paced, shares)
      const arrivals = await Promise.all(
        all.map(async (saves, i) => {
          const name = shares[i]?.name ?? ''
          const arrival = await waitForUpload(lab, name, saves, { since: saves.endedAt, promisedSeconds: 120 })
          console.log(uploadSummary(name, saves, arrival))
          return { ...arrival, ...saves }
        }),
      )
      for (const { refused, missing, wrong, slowestCallMs } of arrivals) {
        expect({ refused, missing, wrong }).toEqual({ refused: [], missing: [], wrong: [] })
        expect(slowestCallMs).toBeLessThan(3 * 10_000)
      }
    })

    it.runIf(isLong)(`takes or refuses ${unthrottled.name} in time, and serves on`, async () => {
      await removeShares()
      await mountDisk(unthrottled)
      const shares = await addShares(unthrottled)
      const seen = new Set<string>()
      let isWarned = true
      const see = (codes: readonly string[]) => {
        for (const code of codes) seen.add(code)
        isWarned &&= !codes.includes('cache_out_of_space') || seen.has('cache_nearly_full')
      }
      const watch = setInterval(() => void problems().then(see), 2_000)
      const all = await run(unthrottled, shares).finally(() => clearInterval(watch))
      for (const [i, saves] of all.entries()) {
        const name = shares[i]?.name ?? ''
        const since = saves.endedAt
        const servedAfter = (await servesAgainAt(protocols[i] ?? 'smb', name)) - since
        const truncated = async () =>
          [...(await lab.objects.entries(name))].filter(
            ([file, { bytes }]) => bytes !== fileBytes && !/9000|\.incomplete-\d+$/.test(file),
          )
        await expect.poll(truncated, { timeout: 3 * 60_000, interval: 1_000 }).toEqual([])
        const cleanAfter = Date.now() - since
        const arrival = await waitForUpload(lab, name, saves, { since, promisedSeconds: 120 })
        console.log(uploadSummary(name, saves, arrival))
        console.log(`serves after ${servedAfter} ms, none truncated after ${cleanAfter} ms (promised 60 s each)`)
        const { missing, wrong } = arrival
        expect({ missing, wrong }).toEqual({ missing: [], wrong: [] })
        expect(servedAfter).toBeLessThan(3 * 60_000)
        expect(saves.slowestCallMs).toBeLessThan(3 * 30_000)
      }
      console.log(`problems meanwhile: ${[...seen].join(', ')}`)
      expect([...seen]).toContain('cache_nearly_full')
      expect(isWarned).toBe(true)
    })
  })
}
