import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { gatewayFiles } from '../support/gateway/configuration.js'
import type { GatewayLab } from '../support/gateway/lab.js'

export function describeLeave(lab: GatewayLab): void {
  const command = (...args: readonly string[]) => lab.gateway.command(['gateway', ...args])
  const connected = () =>
    expect.poll(() => lab.gateway.output(), { timeout: 180_000 }).toContain('connected to the control plane')

  describe('a gateway that Roost leaves', () => {
    it('uploads what clients wrote before its mounts end, and is refused with the number of files while Swift is down', async () => {
      const [name, file] = ['leaving', 'leaving.bin']
      await lab.setStorage()
      const share = await lab.addShare({ name, objectstore_container: name, protocol: 'cifs', upload_delay: 86_400 })
      await lab.deployed()
      const md5 = await lab.makeFile(file, 100_000)
      expect(await lab.smb(name, `put ${file}`)).toMatchObject({ code: 0 })
      // A gateway that is prepared, with an agent, stays for the other tests.
      onTestFinished(async () => {
        await command('prepare', '--yes')
        lab.gateway.startAgent()
        await connected()
        await lab.remove(share.resource_uri)
        await lab.deployed()
      })
      const running = await command('leave', '--yes', '--end-shares')
      expect(running).toMatchObject({ code: 1, stderr: expect.stringContaining('Another agent already uses') })
      expect((await lab.smb(name, 'ls')).stdout).toContain(file)
      await lab.gateway.stopAgent()
      const { stdout } = await command('leave', '--end-shares')
      expect(stdout).toContain('Waits until 1 files (100000 bytes) that clients wrote are in Swift.')
      expect(stdout).toMatch(/Ends the mounts .*\/srv\/roost\/shares\/\d+/)

      const [swift] = lab.swift.nodes
      await swift.stop('proxy-server')
      const refused = await command('leave', '--yes', '--end-shares', '--wait', '3')
      const forced = await command('leave', '--yes', '--force')
      const mounted = await lab.gateway.exec('findmnt -n -t fuse.rclone || true')
      await swift.start('proxy-server')
      expect([forced.code, forced.stdout]).toEqual([0, expect.stringMatching(/^1 files \(100000 bytes\) stay in /m)])
      expect(mounted).toBe('')
      expect(refused.code).toBe(1)
      expect(refused.stderr).toContain('1 files (100000 bytes) that clients wrote are not in Swift')
      expect(refused.stderr).toContain('--force')
      expect(await lab.objects.find(name, file)).toBeUndefined()

      expect(await command('leave', '--yes')).toMatchObject({ code: 0, stdout: expect.stringMatching(/Done\.\n$/) })
      expect((await lab.objects.find(name, file))?.etag).toBe(md5)
      expect(await lab.gateway.exec('findmnt -n -t fuse.rclone || true')).toBe('')
      expect((await lab.smb(name, 'ls')).stdout).toContain('NT_STATUS_BAD_NETWORK_NAME')
    })

    it('runs its servers as before, and serves all shares again once it is prepared and deployed to', async () => {
      const served = async () => [(await lab.smb('docs', 'ls')).code, (await lab.nfsList('files')).code]
      expect(await served()).toEqual([0, 0])
      // A gateway that is prepared stays as it is.
      onTestFinished(async () => void (await command('prepare', '--yes')))
      await lab.gateway.stopAgent()
      expect(await command('leave', '--yes')).toMatchObject({
        code: 1,
        stderr: expect.stringContaining('--end-shares'),
      })
      expect(await served()).toEqual([0, 0])
      expect(await command('leave', '--yes', '--end-shares')).toMatchObject({ code: 0, stderr: '' })
      expect((await lab.smb('docs', 'ls')).stdout).toContain('NT_STATUS_BAD_NETWORK_NAME')
      expect((await lab.nfsList('files')).code).not.toBe(0)
      for (const [path, text] of gatewayFiles) expect(await readFile(join(lab.gateway.dir, path), 'utf8')).toBe(text)
      expect(await command('prepare', '--yes')).toMatchObject({ code: 0 })
      lab.gateway.startAgent()
      await connected()
      await lab.deployed()
      expect(await served()).toEqual([0, 0])
    })
  })
}
