import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runCommand } from '@roost/node-agent/dist/machine/run-command.js'
import { describe, expect, it } from 'vitest'
import { repository } from '../support/http/control-plane.js'

const isEnabled = Boolean(process.env.ROOST_TEST_SYSTEM) && process.getuid?.() === 0
const program = join(repository, 'test/dist/support/gateway/real-samba-program.js')

describe.skipIf(!isEnabled)('a real Samba with clients (as root, with ROOST_TEST_SYSTEM=1)', () => {
  it(
    'loses the sessions that the plan of narrowing a share names and no others, and all of them when Roost leaves it',
    { timeout: 500_000 },
    async () => {
      const work = await mkdtemp(join(tmpdir(), 'roost-samba-'))
      try {
        const args = ['-mn', '--propagation', 'private', process.execPath, program, work]
        const { stdout, stderr } = await runCommand('unshare', args, { deadlineMs: 450_000 })
        expect(stderr).toBe('')
        const seen = JSON.parse(stdout)
        expect(seen.outcomes).toMatchObject(
          [1, 2, 3].map((in_force) => ({ outcome: 'applied', in_force, message: '' })),
        )
        const lost = [{ share: 'share1', client: '127.0.2.4', user: 'nobody' }]
        expect(seen.plan.daemons).toEqual([{ daemon: 'smbd', action: 'close-share', sessions_lost: lost }])
        expect(seen.plan.files[0].diff).toContain('-    hosts allow = 127.0.2.0/24\n+    hosts allow = 127.0.2.3\n')
        expect(seen.remaining).toEqual(['share1 127.0.2.3', 'share2 127.0.2.4'])
        // A password makes an account of the machine's and of Samba's, and shuts guests out.
        expect(seen.login).toBe('')
        expect(seen.refused).toContain('NT_STATUS_ACCESS_DENIED')
        expect(seen.drift).toEqual([])
        // Whoever was left has no session any more, and Samba no share of ours.
        expect(seen.left).toEqual({ isAsBefore: true, answer: expect.stringContaining('NT_STATUS_BAD_NETWORK_NAME') })
      } finally {
        await rm(work, { recursive: true, force: true })
      }
    },
  )
})
