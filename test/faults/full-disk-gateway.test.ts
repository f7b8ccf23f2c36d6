import { join } from 'node:path'
import { runCommand } from '@roost/node-agent/dist/machine/run-command.js'
import { type ScriptedGateway, scriptedGateway } from '@roost/node-agent/dist/shares/testing/scripted-servers.js'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { repository } from '../support/http/control-plane.js'

const isEnabled = Boolean(process.env.ROOST_TEST_SYSTEM) && process.getuid?.() === 0
const program = join(repository, 'test/dist/support/gateway/gateway-program.js')

let gateway: ScriptedGateway
beforeEach(() => {
  gateway = scriptedGateway()
})
afterEach(() => gateway.remove())

/** One generation on a disk with room, the next one on the same disk without; prints the file before and after. */
const script = `
node=$1 program=$2 root=$3
mkdir -p "$root/etc/samba/roost.d"
mount -t tmpfs -o size=64k none "$root/etc/samba/roost.d"
"$node" "$program" "$root" 1 >/dev/null
sha256sum <"$root/etc/samba/roost.d/shares.conf"
dd if=/dev/zero of="$root/etc/samba/roost.d/full" bs=1k 2>/dev/null || true
"$node" "$program" "$root" 2
echo
sha256sum <"$root/etc/samba/roost.d/shares.conf"
ls "$root/etc/samba/roost.d"
`

describe.skipIf(!isEnabled)('a disk without room (as root, with ROOST_TEST_SYSTEM=1)', () => {
  it(
    'keeps the file as it was, and the message says where and how much room there is',
    { timeout: 120_000 },
    async () => {
      const args = [
        '-m',
        '--propagation',
        'private',
        'sh',
        '-ec',
        script,
        'sh',
        process.execPath,
        program,
        gateway.root,
      ]
      const { stdout, stderr } = await runCommand('unshare', args, { deadlineMs: 100_000 })
      expect(stderr).toBe('')
      const [before, outcome = '', after, ...files] = stdout.trim().split('\n')
      expect(JSON.parse(outcome)).toMatchObject({
        outcome: 'failed',
        in_force: 1,
        partly: true,
        message: expect.stringMatching(
          /^CIFS could not be deployed: Cannot write \/.*shares\.conf: ENOSPC.*; 0 bytes are free in \/.*roost\.d\. NFS is deployed\.$/,
        ),
      })
      expect(after).toBe(before)
      expect(files).toEqual(['full', 'shares.conf'])
    },
  )
})
