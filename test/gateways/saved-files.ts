import { isDeepStrictEqual } from 'node:util'
import type { GatewayShare } from '@roost/api-types/rest'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { FaultProxy } from '../support/gateway/fault-proxy.js'
import type { GatewayLab } from '../support/gateway/lab.js'
import { saveFiles, savesOf } from '../support/gateway/saves.js'
import type { Protocol } from '../support/gateway/saves.js'
import { waitForUpload, dirtyFiles, uploadSummary } from '../support/gateway/uploaded.js'

const isLong = process.env.ROOST_TEST_LONG === '1'
const protocols = ['smb', 'nfs'] as const
/** How old a count of dirty files is at most. */
const countSeconds = 15

interface Trouble {
  readonly name: string
  readonly files: number
  /** One of so many exchanges with Swift is cut; 0: none. */
  readonly cutOneIn: number
  readonly away?: { readonly how: 'refuse' | 'swallow'; readonly seconds: number }
  readonly promisedSeconds: number
}

const short: readonly Trouble[] = [
  { name: 'short', files: 100, cutOneIn: 20, away: { how: 'refuse', seconds: 25 }, promisedSeconds: 120 },
]
const long: readonly Trouble[] = [
  { name: 'cuts', files: 1000, cutOneIn: 100, promisedSeconds: 120 },
  { name: 'away-25', files: 200, cutOneIn: 0, away: { how: 'swallow', seconds: 25 }, promisedSeconds: 120 },
  { name: 'away-120', files: 200, cutOneIn: 0, away: { how: 'refuse', seconds: 120 }, promisedSeconds: 120 },
  { name: 'away-600', files: 200, cutOneIn: 0, away: { how: 'refuse', seconds: 600 }, promisedSeconds: 360 },
]

export function describeSavedFiles(lab: GatewayLab, faults: FaultProxy): void {
  describe('files that clients saved', () => {
    const seed = Number(process.env.ROOST_TEST_SEED ?? Date.now() % 2 ** 31)

    const wait = (seconds: number) => new Promise((resolve) => setTimeout(resolve, seconds * 1000))

    const shareOf = (trouble: Trouble, protocol: Protocol): Promise<GatewayShare> => {
      const name = `${trouble.name}-${protocol}`
      return lab.addShare({ name, objectstore_container: name, protocol: protocol === 'smb' ? 'cifs' : 'nfs' })
    }

    /** What the node counts, beside what the caches hold. Nothing changes while Swift is away. */
    const countsAreRight = async (shares: readonly GatewayShare[]) => {
      const since = Date.now()
      const counts = async () => {
        const uploads = await Promise.all(shares.map(({ resource_uri }) => lab.get(`${resource_uri}uploads/`)))
        const cached = await Promise.all(shares.map(({ id }) => dirtyFiles(lab, id)))
        return { counted: uploads.map(({ dirty_files }) => dirty_files), cached }
      }
      const areRight = async () => {
        const { counted, cached } = await counts()
        return isDeepStrictEqual(counted, cached)
      }
      await expect.poll(areRight, { timeout: 3 * countSeconds * 1000, interval: 500 }).toBe(true)
      const seconds = Math.round((Date.now() - since) / 1000)
      const { counted } = await counts()
      console.log(
        `${JSON.stringify(counted)} files are dirty, counted right after ${seconds} s (promised ${countSeconds} s)`,
      )
      return counted
    }

    /** Saves files by both protocols at once, through the trouble; answers since when they are to be in Swift. */
    const saveThrough = async (trouble: Trouble, shares: readonly GatewayShare[]) => {
      const steps = savesOf(trouble.files)
      const running = await Promise.all(
        protocols.map((protocol, i) => saveFiles(lab.swift, { protocol, share: shares[i]?.name ?? '' }, steps)),
      )
      let returned = 0
      if (trouble.away !== undefined) {
        await expect
          .poll(() => running.every((saves) => saves.done() > 5), { timeout: 120_000, interval: 20 })
          .toBe(true)
        await faults.setAway(trouble.away.how)
        await wait(trouble.away.seconds)
        expect(Math.max(...(await countsAreRight(shares)))).toBeGreaterThan(0)
        await faults.setAway(null)
        returned = Date.now()
      }
      const saves = await Promise.all(running.map(({ ended }) => ended))
      return saves.map((result) => ({ saves: result, since: Math.max(returned, result.endedAt) }))
    }

    it.each(isLong ? long : short)('are all in Swift in time: $name', async (trouble) => {
      onTestFinished(() => faults.setAway(null))
      onTestFinished(() => faults.cutOneIn(0, seed))
      const shares = [await shareOf(trouble, 'smb'), await shareOf(trouble, 'nfs')]
      await lab.deployed()
      const { cuts: before } = await faults.counters()
      await faults.cutOneIn(trouble.cutOneIn, seed)
      const all = await saveThrough(trouble, shares)
      const { promisedSeconds } = trouble
      const arrivals = await Promise.all(
        all.map(async ({ saves, since }, i) => {
          const container = shares[i]?.objectstore_container ?? ''
          return { saves, container, ...(await waitForUpload(lab, container, saves, { since, promisedSeconds })) }
        }),
      )
      const { cuts, exchanges } = await faults.counters()
      console.log(`${trouble.name}: seed ${seed}, ${exchanges} exchanges, cuts ${JSON.stringify(cuts)}`)
      for (const arrival of arrivals) console.log(uploadSummary(arrival.container, arrival.saves, arrival))
      expect(isDeepStrictEqual(cuts, before)).toBe(trouble.cutOneIn === 0)
      for (const { saves, missing, wrong } of arrivals) {
        expect(saves.saved.length).toBeGreaterThan(trouble.files / 2)
        expect({ missing, wrong }).toEqual({ missing: [], wrong: [] })
      }
      // What was stored is not uploaded again.
      const dirty = () => Promise.all(shares.map(({ id }) => dirtyFiles(lab, id)))
      await expect.poll(dirty, { timeout: 3 * promisedSeconds * 1000 }).toEqual([0, 0])
      await countsAreRight(shares)
    })
  })
}
