import type { GatewayShare, Node, ShareUploads } from '@roost/api-types/rest'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { FaultProxy } from '../support/gateway/fault-proxy.js'
import type { GatewayLab } from '../support/gateway/lab.js'

const container = 'stranded'
const promisedSeconds = 120
/** After a minute without an upload, as it is counted every 15 s. */
const strandedSeconds = 85
const waitFor = (seconds: number) => ({ timeout: 3 * seconds * 1000, interval: 500 })

/** A file whose uploads fail. It takes a minute until that is a problem: other tests may run meanwhile. */
export function createStrandedFile(lab: GatewayLab, faults: FaultProxy) {
  const file = 'stranded.bin'
  let begun: Promise<{ readonly share: GatewayShare; readonly md5: string }> | undefined
  const begin = async () => {
    const share = await lab.addShare({ name: container, objectstore_container: container, protocol: 'cifs' })
    await lab.deployed()
    await faults.cutPath(`/${container}/`)
    const md5 = await lab.makeFile(file, 100_000)
    expect(await lab.smb(share.name, `put ${file}`)).toMatchObject({ code: 0 })
    return { share, md5 }
  }
  const once = () => (begun ??= begin())
  const uploads = async ({ resource_uri }: GatewayShare): Promise<ShareUploads> => lab.get(`${resource_uri}uploads/`)

  return {
    describeSave(): void {
      it('a file whose uploads fail is reported as not uploaded', async () => {
        const { share } = await once()
        const reported = async () => (await uploads(share)).oldest.map(({ path, bytes }) => ({ path, bytes }))
        await expect.poll(reported, waitFor(30)).toEqual([{ path: file, bytes: 100_000 }])
        expect(await lab.objects.find(container, file)).toBeUndefined()
      })
    },
    describeUpload(): void {
      it(`is a problem of its share after a minute, and is uploaded within ${promisedSeconds} s of the return of Swift`, async () => {
        const { share, md5 } = await once()
        onTestFinished(() => faults.cutPath(null))
        onTestFinished(() => faults.setAway(null))
        const problems = async () =>
          ((await lab.get(lab.node)) as Node).problems.filter(({ code }) => code === 'share_not_uploaded')
        const problemWhileSwift = (swift: string) => [
          { subject: share.name, message: expect.stringMatching(`^1 files \\(100000 bytes\\) .* Swift ${swift}`) },
        ]
        await expect.poll(problems, waitFor(strandedSeconds)).toMatchObject(problemWhileSwift('answers'))
        // After an outage of Swift the agent does not wait for the end of a pause between two attempts.
        await faults.setAway('refuse')
        await expect.poll(problems, waitFor(30)).toMatchObject(problemWhileSwift('does not answer'))
        await faults.cutPath(null)
        await faults.setAway(null)
        const since = Date.now()
        const stored = async () => (await lab.objects.find(container, file))?.etag
        await expect.poll(stored, waitFor(promisedSeconds)).toBe(md5)
        console.log(
          `a stranded file: uploaded after ${Math.round((Date.now() - since) / 1000)} s (promised ${promisedSeconds} s)`,
        )
        await expect.poll(async () => (await uploads(share)).dirty_files, waitFor(30)).toBe(0)
        await expect.poll(problems, waitFor(30)).toEqual([])
      })
    },
  }
}

export function describeLeftovers(lab: GatewayLab, faults: FaultProxy): void {
  describe('a file that is renamed during its upload', () => {
    it('is reported under its old name, where Swift has it too, and removed there only on request', async () => {
      onTestFinished(() => faults.blockPuts(false))
      const name = 'renamed'
      const share = await lab.addShare({ name, objectstore_container: name, protocol: 'cifs' })
      await lab.deployed()
      const uploads = async (): Promise<ShareUploads> => lab.get(`${share.resource_uri}uploads/`)
      const names = async () => (await lab.objects.list(name)).toSorted()
      const md5 = await lab.makeFile('saved.bin', 3_000_000)
      // The mount knows the container after the first upload.
      expect(await lab.smb(name, 'put saved.bin first.bin')).toMatchObject({ code: 0 })
      await expect.poll(names, waitFor(30)).toEqual(['first.bin'])

      await faults.blockPuts(true)
      expect(await lab.smb(name, 'put saved.bin film.mkv.part')).toMatchObject({ code: 0 })
      await expect.poll(async () => (await lab.objects.find(name, 'film.mkv.part'))?.etag, waitFor(30)).toBe(md5)
      // The agent knows the file by the name that it has now. The answer to the first PUT may be kept, too.
      const dirty = async () => (await uploads()).oldest.map(({ path }) => path)
      await expect.poll(dirty, waitFor(30)).toContain('film.mkv.part')
      expect(await lab.smb(name, 'rename film.mkv.part film.mkv')).toMatchObject({ code: 0 })
      await faults.blockPuts(false)

      const leftover = { name: 'film.mkv.part', size_bytes: 3_000_000, renamed_to: 'film.mkv' }
      const reported = async () => (await uploads()).leftovers
      await expect.poll(reported, waitFor(60)).toEqual([{ ...leftover, since: expect.any(String) }])
      // Its own server has it; the listing of the container follows.
      expect((await lab.objects.find(name, 'film.mkv'))?.etag).toBe(md5)
      const metric = `share.${share.id}.leftover_files`
      const counted = async () => (await lab.get(`${lab.node}metrics/poll/?metrics=${metric}`)).metrics[0]?.value
      await expect.poll(counted, waitFor(60)).toBe(1)
      await expect.poll(names, waitFor(30)).toEqual(['film.mkv', 'film.mkv.part', 'first.bin'])

      const body = { remove_leftovers: ['film.mkv.part', 'first.bin'] }
      const removal = await lab.api.call(`${share.resource_uri}uploads/`, { method: 'POST', body })
      expect([removal.status, removal.body]).toMatchObject([
        200,
        { removed: ['film.mkv.part'], kept: [{ name: 'first.bin', reason: 'No rename left this object behind.' }] },
      ])
      expect(await reported()).toEqual([])
      await expect.poll(names, waitFor(30)).toEqual(['film.mkv', 'first.bin'])
    })
  })
}
