import { beforeEach, describe, expect, it } from 'vitest'
import { useAlertRounds } from '../support/agents/alert-rounds.js'
import { addDevice, addPolicy } from '../support/agents/fleet-rows.js'

const alerts = useAlertRounds()
const gb = 1_000_000_000
const size = 1_000 * gb
const dayMs = 86_400_000
const roundsADay = 2_880

let policy: number

beforeEach(async () => {
  policy = await addPolicy(alerts.api.database, alerts.cluster, 0, 'gold')
})

/** Adds devices of the policy with so many gigabytes of 1,000 in use. */
async function addDevices(used: Readonly<Record<string, number>>, more: { readonly status?: string } = {}) {
  const { database, context } = alerts.api
  const ids: number[] = []
  for (const [name, usedGb] of Object.entries(used)) {
    const free = BigInt(size - usedGb * gb)
    const usage = { totalBytes: BigInt(size), freeBytes: free, availableBytes: free, lastSeen: new Date() }
    const id = await addDevice(database, alerts.cluster, alerts.node, { name, ...usage, ...more })
    await database.prisma.devicePolicy.create({ data: { deviceId: id, policyId: policy } })
    ids.push(id)
  }
  await context.capacity.intake.devicesChanged(alerts.node)
  return ids
}

interface Days {
  readonly middle: number | null
  readonly late: number | null
}

const forecast = (deviceId: number, { middle, late }: Days) =>
  alerts.api.database.prisma.deviceForecast.upsert({
    where: { deviceId },
    create: { deviceId, early: middle, middle, late, madeAt: new Date() },
    update: { middle, late },
  })

/** Writes 42 days of the set of the policy: `usedGb` today, and so much less on each day before. */
async function recordDays(usedGb: number, growthGb: number): Promise<void> {
  const today = Math.floor(Date.now() / dayMs)
  await alerts.api.database.prisma.capacityDay.createMany({
    data: Array.from({ length: 42 }, (_, ago) => ({
      clusterId: alerts.cluster,
      policySet: '0',
      day: new Date((today - ago) * dayMs),
      rawBytes: BigInt(size),
      usedBytes: BigInt((usedGb - growthGb * ago) * gb),
      freeBytes: BigInt(size - (usedGb - growthGb * ago) * gb),
      fullestPct: 1,
      pct95: 1,
    })),
  })
}

/** The node goes on reporting, and the clock goes on by a day without the rounds between. */
async function aDayLater(): Promise<void> {
  const at = new Date(Date.now() + roundsADay * 30_000)
  await alerts.changeNode({ lastSeen: at })
  await alerts.later(at.getTime() - Date.now() - 60_000)
}

describe('DEVICE_FILLS', () => {
  it('is one alert of a node, after a day, and critical when the first of its devices is full in a week', async () => {
    const [d1 = 0, d2 = 0, d3 = 0, d4 = 0, d5 = 0] = await addDevices({ d1: 700, d2: 600, d3: 590, d4: 930, d5: 700 })
    for (const id of [d2, d3, d4]) await forecast(id, { middle: 7.1, late: 30 })
    await forecast(d1, { middle: 12, late: 29 })
    await forecast(d5, { middle: 7.1, late: 31 })
    await alerts.rounds(1)
    expect(await alerts.brief('code=DEVICE_FILLS')).toEqual(['DEVICE_FILLS store-1 pending'])
    await aDayLater()
    await alerts.rounds(1)
    expect(await alerts.brief('code=DEVICE_FILLS')).toEqual(['DEVICE_FILLS store-1 pending'])
    await alerts.rounds(1)
    expect(await alerts.list('code=DEVICE_FILLS')).toMatchObject([
      {
        state: 'firing',
        severity: 'warning',
        value: 30,
        threshold: 30,
        summary: 'The device d2 of store-1 will be full in 7 days, at the latest in 30; 2 of its devices fill.',
      },
    ])
    await forecast(d1, { middle: 7, late: null })
    await alerts.rounds(1)
    expect(await alerts.list('code=DEVICE_FILLS')).toMatchObject([
      { severity: 'critical', value: 7, threshold: 7, summary: expect.stringContaining('d1 of store-1') },
    ])
    for (const id of [d1, d2]) await forecast(id, { middle: null, late: null })
    await alerts.rounds(2)
    expect(await alerts.brief('code=DEVICE_FILLS')).toEqual([])
  })
})

describe('POLICY_FILLS', () => {
  it('is of the devices of a policy together, and has not ended while there is no forecast', async () => {
    await addDevices({ d1: 780 })
    await recordDays(780, 20)
    await alerts.rounds(1)
    expect(await alerts.list('code=POLICY_FILLS')).toMatchObject([
      { subject: 'gold', node: null, state: 'pending', severity: 'warning', value: 10, threshold: 30 },
    ])
    await aDayLater()
    await alerts.rounds(2)
    expect(await alerts.brief('code=POLICY_FILLS')).toEqual(['POLICY_FILLS gold firing'])
    await alerts.api.database.prisma.capacityDay.deleteMany({ where: { clusterId: alerts.cluster } })
    await alerts.rounds(2)
    expect(await alerts.brief('code=POLICY_FILLS')).toEqual(['POLICY_FILLS gold unknown'])
    await recordDays(780, 0)
    await alerts.rounds(2)
    expect(await alerts.brief('code=POLICY_FILLS')).toEqual([])
  })

  it('is not of a policy that is emptier than 60 %', async () => {
    await addDevices({ d1: 590 })
    await recordDays(590, 14)
    await alerts.rounds(1)
    expect(await alerts.brief()).toEqual([])
  })
})

describe('POLICY_UNEVEN', () => {
  it('is of a policy whose fullest devices are far above the average, until they are not', async () => {
    const [fullest = 0] = await addDevices({ d1: 521, d2: 500, d3: 500, d4: 480 })
    await alerts.rounds(1)
    expect(await alerts.brief()).toEqual([])
    const report = async (usedGb: number) => {
      const free = BigInt(size - usedGb * gb)
      const { prisma } = alerts.api.database
      await prisma.deviceUsage.update({ where: { deviceId: fullest }, data: { freeBytes: free, availableBytes: free } })
      await alerts.api.context.capacity.intake.devicesChanged(alerts.node)
    }
    await report(640)
    await alerts.rounds(1)
    expect(await alerts.list()).toMatchObject([
      { code: 'POLICY_UNEVEN', subject: 'gold', state: 'pending', severity: 'warning', value: 11, threshold: 10 },
    ])
    await aDayLater()
    await alerts.rounds(2)
    expect(await alerts.brief()).toEqual(['POLICY_UNEVEN gold firing'])
    await alerts.api.database.prisma.device.updateMany({ data: { status: 'unmounted' } })
    await alerts.api.context.capacity.intake.devicesChanged(alerts.node)
    await alerts.rounds(2)
    expect(await alerts.brief('code=POLICY_UNEVEN')).toEqual(['POLICY_UNEVEN gold unknown'])
    await alerts.api.database.prisma.device.updateMany({ data: { status: 'ok' } })
    await report(600)
    await alerts.rounds(2)
    expect(await alerts.brief('code=POLICY_UNEVEN')).toEqual([])
  })
})
