import { addLargeFleet, setStates } from '../../support/agents/large-fleet.js'
import type { Row } from '../report.js'
import { openStage } from '../stage.js'
import type { Stage } from '../stage.js'
import { benchHour } from './hour.js'
import { openProfiles } from './profile.js'
import { benchServerCost } from './server-cost.js'
import { benchTable } from './table.js'
import { benchVisits } from './visits.js'

/** Measures the console in Debian's Chromium, with 10,000 nodes and 40,000 devices. */
export async function benchConsole(): Promise<readonly Row[]> {
  let clusterId = 0
  const stage = await openStage({
    tls: true,
    async seed(database) {
      clusterId = (await database.prisma.cluster.create({ data: { name: 'console' } })).id
      await addLargeFleet(database, clusterId, { nodes: 10_000, devicesPerNode: 4 })
    },
  })
  try {
    // Only now: a control plane that starts would miss the sessions of nodes that are online.
    await setStates(stage.database, clusterId)
    return await measure(stage)
  } finally {
    await stage.close()
  }
}

async function measure(stage: Stage): Promise<readonly Row[]> {
  const profiles = await openProfiles(stage.controlPlane.url, stage.keys[0] ?? '')
  try {
    return [
      ...(await benchVisits(profiles)),
      ...(await benchTable(profiles)),
      ...(await benchHour(profiles, stage.database)),
      ...(await benchServerCost(profiles, stage)),
    ]
  } finally {
    await profiles.close()
  }
}
