import { existsSync } from 'node:fs'
import { beforeAll, describe, vi } from 'vitest'
import { startFaultProxy } from '../support/gateway/fault-proxy.js'
import type { FaultProxy } from '../support/gateway/fault-proxy.js'
import { useGatewayLab } from '../support/gateway/lab.js'
import { isSwiftEnabled } from '../support/swift/cluster.js'
import { createStrandedFile, describeLeftovers } from './not-uploaded.js'
import { describeFullCache } from './full-cache.js'
import { describeWritesByOthers } from './writes-by-others.js'
import { describeSavedFiles } from './saved-files.js'
import { describeUpgrade } from './upgrade.js'

vi.setConfig({ testTimeout: 3_600_000, hookTimeout: 600_000 })

// One gateway for all: it takes half a minute to come up.
describe.skipIf(!isSwiftEnabled || !existsSync('/dev/fuse'))(
  'the data path of a gateway, with the defaults of the API (as root, with ROOST_TEST_SYSTEM=1 and /dev/fuse)',
  () => {
    const lab = useGatewayLab({ diskScale: 20, release: '0.1.0' })
    const faults = {} as FaultProxy
    beforeAll(async () => {
      Object.assign(faults, await startFaultProxy(lab.swift))
      await lab.setStorage('testing', faults.authUrl)
    })

    describeUpgrade(lab)
    const stranded = createStrandedFile(lab, faults)
    stranded.describeSave()
    describeSavedFiles(lab, faults)
    describeLeftovers(lab, faults)
    stranded.describeUpload()
    describeWritesByOthers(lab)
    describeFullCache(lab)
  },
)
