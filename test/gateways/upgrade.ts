import type { GatewayShare, Node } from '@roost/api-types/rest'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { GatewayLab } from '../support/gateway/lab.js'
import { newFilePrograms, saveFiles, savesOf } from '../support/gateway/saves.js'
import type { Step } from '../support/gateway/saves.js'
import { waitForUpload, uploadSummary } from '../support/gateway/uploaded.js'

const promisedSeconds = 120

/** The lab's gateway runs the agent of 0.1.0 until then. */
export function describeUpgrade(lab: GatewayLab): void {
  describe('a gateway of 0.1.0', () => {
    const problemsOf = async (code: string) =>
      ((await lab.get(lab.node)) as Node).problems.filter((problem) => problem.code === code)

    /** How the rclone that serves a share now was called. */
    const argumentsOf = ({ id }: GatewayShare) =>
      lab.gateway.exec(`pid=$(cut -d" " -f1 ${lab.gateway.dir}/agent/mounts/run/share-${id}.pid | head -n 1)
        tr "\\0" " " </proc/$pid/cmdline`)

    it('is upgraded under writing clients: nothing is lost, and all mounts are cured', async () => {
      // Agents of 0.1.0 know no sizes of caches.
      const plain = { cache_size_mb: null }
      const smb = await lab.addShare({ name: 'up-smb', objectstore_container: 'up-smb', protocol: 'cifs', ...plain })
      const nfs = await lab.addShare({ name: 'up-nfs', objectstore_container: 'up-nfs', ...plain })
      await lab.deployed()
      expect(await argumentsOf(smb)).toContain('--vfs-write-back 0s')
      onTestFinished(async () => void (await lab.swift.machine.exec('rm -f upgrading')))
      await lab.swift.machine.exec('touch upgrading')
      // This file is open until the problem was seen: its mount is not to be replaced before.
      const source = `while [ -e ${lab.swift.machine.dir}/upgrading ]; do echo line || exit 1; sleep 0.1; done`
      const open = lab.smbStream(smb.name, source, 'held.txt')
      // The mounts of 0.1.0 may delete a file that is replaced while its first version is uploaded: on a slow machine they
      // do, whatever happens to them later.
      const steps = savesOf(60, (file) => 5_000 + file, newFilePrograms)
      const slowly = steps.flatMap((step): Step[] => [step, ['wait', 0.1]])
      const running = await Promise.all([
        saveFiles(lab.swift, { protocol: 'smb', share: smb.name }, slowly),
        saveFiles(lab.swift, { protocol: 'nfs', share: nfs.name }, slowly),
      ])
      await expect.poll(() => running.every((saves) => saves.done() > 10), { timeout: 120_000 }).toBe(true)
      await lab.gateway.stopAgent()
      lab.gateway.upgradeAgent()
      lab.gateway.startAgent()
      const since = Date.now()
      await expect
        .poll(() => problemsOf('mount_outdated'), { timeout: 180_000 })
        .toContainEqual(expect.objectContaining({ message: expect.stringContaining(smb.name) }))
      await lab.swift.machine.exec('rm upgrading')
      await open.ended
      const all = await Promise.all(running.map(({ ended }) => ended))
      await expect.poll(() => problemsOf('mount_outdated'), { timeout: 360_000, interval: 500 }).toEqual([])
      console.log(`all mounts are cured ${Math.round((Date.now() - since) / 1000)} s after the upgraded agent's start`)
      for (const [i, share] of [smb, nfs].entries()) {
        expect(await argumentsOf(share)).toMatch(
          /--vfs-write-back 5s .*--vfs-cache-max-size|--vfs-cache-max-size .*--vfs-write-back 5s/,
        )
        const saves = all[i]
        if (saves === undefined) continue
        const arrival = await waitForUpload(lab, share.objectstore_container, saves, {
          since: saves.endedAt,
          promisedSeconds,
        })
        console.log(uploadSummary(share.objectstore_container, saves, arrival))
        expect(saves.saved.length).toBeGreaterThan(10)
        expect([arrival.missing, arrival.wrong]).toEqual([[], []])
      }
      // What this release asks of nfs-ganesha, for the tests that follow.
      expect(await lab.gateway.command(['gateway', 'prepare', '--yes'])).toMatchObject({ code: 0 })
      await lab.gateway.serveNfsBy('ganesha')
    })
  })
}
