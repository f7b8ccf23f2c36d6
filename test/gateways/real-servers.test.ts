import { existsSync } from 'node:fs'
import { describe, vi } from 'vitest'
import { useGatewayLab } from '../support/gateway/lab.js'
import { isSwiftEnabled } from '../support/swift/cluster.js'
import { describeConsole } from './console.js'
import { describeControlPlaneAbsent } from './control-plane-absent.js'
import { describeKernelNfs } from './kernel-nfs.js'
import { describeKills } from './kills.js'
import { describeLeave } from './leave.js'
import { describeMounts } from './mounts.js'
import { describeOutdatedMounts } from './outdated-mounts.js'
import { describeProtocols } from './protocols.js'
import { describeSessions } from './sessions.js'
import { describeShares } from './shares.js'

vi.setConfig({ testTimeout: 900_000, hookTimeout: 600_000 })

// One gateway for both: it takes half a minute to come up.
describe.skipIf(!isSwiftEnabled || !existsSync('/dev/fuse'))(
  'a gateway of Samba, nfs-ganesha and rclone over a real Swift (as root, with ROOST_TEST_SYSTEM=1 and /dev/fuse)',
  () => {
    const lab = useGatewayLab()

    describeShares(lab)
    describeConsole(lab)
    describeSessions(lab)
    describeProtocols(lab)
    describeKills(lab)
    describeMounts(lab)
    describeOutdatedMounts(lab)
    describeLeave(lab)
    describeKernelNfs(lab)
    describeControlPlaneAbsent(lab)
  },
)
