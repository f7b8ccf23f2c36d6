import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { gatewayFiles } from '../support/gateway/configuration.js'
import type { GatewayLab } from '../support/gateway/lab.js'

export function describeLeave(lab: GatewayLab): void {
  describe('a gateway that Roost leaves', () => {
    it('runs its servers as before, and serves all shares again once it is prepared and deployed to', async () => {
      const command = (...args: readonly string[]) => lab.gateway.command(['gateway', ...args])
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
      await expect.poll(() => lab.gateway.output(), { timeout: 180_000 }).toContain('connected to the control plane')
      await lab.deployed()
      expect(await served()).toEqual([0, 0])
    })
  })
}
