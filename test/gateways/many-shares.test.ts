import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runCommand } from '@roost/node-agent/dist/machine/run-command.js'
import { describe, expect, it } from 'vitest'
import { repository } from '../support/http/control-plane.js'
import type { OneEdit } from '../support/gateway/many-shares-program.js'

const isEnabled = Boolean(process.env.ROOST_TEST_SYSTEM) && process.getuid?.() === 0
const program = join(repository, 'test/dist/support/gateway/many-shares-program.js')

describe.skipIf(!isEnabled)('a real Samba with five hundred shares (as root, with ROOST_TEST_SYSTEM=1)', () => {
  it('is reloads once of the one that is edited, whose lines are all that changes', { timeout: 600_000 }, async () => {
    const work = await mkdtemp(join(tmpdir(), 'roost-samba-'))
    try {
      const args = ['-mn', '--propagation', 'private', process.execPath, program, work, '500']
      const { stdout, stderr } = await runCommand('unshare', args, { deadlineMs: 550_000 })
      expect(stderr).toBe('')
      const { milliseconds, ...seen } = JSON.parse(stdout) as OneEdit
      expect(seen).toEqual({
        outcome: 'applied',
        diffs: [expect.any(String)],
        daemons: [{ daemon: 'smbd', action: 'reload' }],
        reloads: ['smbcontrol smbd reload-config', 'smbcontrol smbd ping'],
        drift: [],
      })
      const [diff = ''] = seen.diffs
      expect(diff.match(/^@@ /gm)).toHaveLength(1)
      expect(diff.match(/^[-+] .*$/gm)).toEqual(['-    browseable = yes', '+    browseable = no'])
      expect(milliseconds).toBeGreaterThan(0)
    } finally {
      await rm(work, { recursive: true, force: true })
    }
  })
})
