import { createIdentityDrift } from '@roost/control-plane/dist/identity/drift/drift.js'
import { createIdentityDriftStore } from '@roost/control-plane/dist/identity/drift/store.js'
import { beforeEach, describe, expect, it } from 'vitest'
import { useAlertRounds } from '../support/agents/alert-rounds.js'

const alerts = useAlertRounds()
type Plan = Parameters<typeof createIdentityDrift>[0]['plan']
const url = 'https://keystone.example:5000/v3'
const far = new Date('2030-01-01T00:00:00Z')

const services = () => alerts.api.database.prisma.identityService
/** The control plane of the suite does not compare it by itself: it has been compared in the future. */
beforeEach(() =>
  services().create({
    data: {
      clusterId: alerts.cluster,
      authUrl: url,
      key: new Uint8Array(1),
      domain: 'roost',
      role: 'member',
      resellerRole: 'ResellerAdmin',
      checkedAt: far,
    },
  }),
)
const set = (state: string, stateDetail = '') =>
  services().update({ where: { clusterId: alerts.cluster }, data: { state, stateDetail } })
const healthOf = async () => (await alerts.api.get(`/api/v1/clusters/${alerts.cluster}/health/`)).body

describe('an alert of Keystone', () => {
  it('fires when it was changed, is unknown while it cannot be read, and ends when it agrees', async () => {
    await alerts.rounds(1)
    expect([await alerts.brief(), (await healthOf()).identity.state]).toEqual([[], 'unknown'])
    await set('drifted', "A deployment would enable the user 'anna'.")
    await alerts.rounds(1)
    expect(await alerts.list()).toMatchObject([
      {
        code: 'IDENTITY_DRIFT',
        subject: url,
        state: 'firing',
        summary: expect.stringContaining("changed there. A deployment would enable the user 'anna'."),
      },
    ])
    expect((await healthOf()).identity).toEqual({
      identity: `/api/v1/clusters/${alerts.cluster}/identity/`,
      state: 'drifted',
      detail: "A deployment would enable the user 'anna'.",
      checked: far.toISOString(),
    })
    await set('unreachable', 'Keystone does not answer.')
    await alerts.rounds(2)
    expect(await alerts.brief()).toContain(`IDENTITY_DRIFT ${url} unknown`)
    await set('synced')
    await alerts.rounds(2)
    expect(await alerts.brief()).toEqual([])
  })

  it('fires after ten minutes without an answer, not before', async () => {
    await set('unreachable', 'Keystone does not answer.')
    await alerts.rounds(19)
    expect(await alerts.brief()).toEqual([`IDENTITY_UNREACHABLE ${url} pending`])
    await alerts.rounds(2)
    expect(await alerts.brief()).toEqual([`IDENTITY_UNREACHABLE ${url} firing`])
  })

  it('fires when the last deployment of users has failed, but not for one that was canceled before', async () => {
    const { job, identityTarget } = alerts.api.database.prisma
    const deploy = async (state: string, message: string, begun = true) => {
      const { id } = await job.create({
        data: { kind: 'user_db', clusterId: alerts.cluster, state: 'COMPLETED_FAILED', finishedAt: new Date() },
      })
      await identityTarget.create({ data: { jobId: id, state, message, begun } })
    }
    await deploy('failed', 'Keystone answered 409.')
    await alerts.rounds(1)
    const summary = 'The last deployment of users to Keystone has failed: Keystone answered 409.'
    expect(await alerts.list()).toMatchObject([{ code: 'DEPLOYMENT_FAILED', subject: 'users', node: null, summary }])
    await deploy('failed', 'Canceled by anna.', false)
    await alerts.rounds(2)
    expect(await alerts.list()).toMatchObject([{ code: 'DEPLOYMENT_FAILED', state: 'firing' }])
    await deploy('applied', '')
    await alerts.rounds(2)
    expect(await alerts.brief()).toEqual([])
  })
})

describe('a Keystone is compared', () => {
  const start = Date.parse('2026-11-22T12:00:00Z')
  let now = start
  const asked: number[] = []
  const silent: Plan = async () => ({ error: 'Keystone does not answer.' })
  const drift = (plan = silent) =>
    createIdentityDrift({
      store: createIdentityDriftStore(alerts.api.database),
      plan: (id) => {
        asked.push(id)
        return plan(id)
      },
      clock: { now: () => now, monotonic: () => now } as never,
    })
  const isComparedAt = async (time: number) => {
    now = time
    asked.length = 0
    await drift().compareDue()
    return asked.length > 0
  }
  const checkedAt = (date: Date | null, state: string) =>
    services().update({ where: { clusterId: alerts.cluster }, data: { checkedAt: date, state } })

  it('at once when it was set, after ten minutes when it was read, and after one when it was not', async () => {
    await checkedAt(new Date(start), 'synced')
    expect([await isComparedAt(start + 599_000), await isComparedAt(start + 600_000)]).toEqual([false, true])
    await checkedAt(new Date(start), 'unreachable')
    expect([await isComparedAt(start + 59_000), await isComparedAt(start + 60_000)]).toEqual([false, true])
    await checkedAt(null, 'unknown')
    expect(await isComparedAt(start)).toBe(true)
    await checkedAt(far, 'unreachable')
  })

  it('again once something was deployed to it, and then after ten minutes', async () => {
    await checkedAt(new Date(start), 'synced')
    const one = drift()
    const isCompared = async () => {
      asked.length = 0
      await one.compareDue()
      return asked.length > 0
    }
    now = start + 20_000
    expect(await isCompared()).toBe(false)
    one.compareSoon(alerts.cluster)
    expect([await isCompared(), await isCompared()]).toEqual([true, false])
    await checkedAt(far, 'unreachable')
  })

  it('not while a deployment changes it', async () => {
    const { job, identityTarget } = alerts.api.database.prisma
    await checkedAt(new Date(start), 'synced')
    const { id } = await job.create({ data: { kind: 'user_db', clusterId: alerts.cluster, state: 'IN_PROGRESS' } })
    await identityTarget.create({ data: { jobId: id, state: 'failed' } })
    expect(await isComparedAt(start + 600_000)).toBe(false)
    await job.update({ where: { id }, data: { finishedAt: new Date(), state: 'COMPLETED_FAILED' } })
    expect(await isComparedAt(start + 600_000)).toBe(true)
    await checkedAt(far, 'unreachable')
  })

  it('and names a few of many conflicts and changes', async () => {
    const conflicts = Array.from({ length: 4_096 }, (_, i) => `The user 'u${i}' exists, and Roost did not create it.`)
    const objects = Array.from({ length: 6 }, (_, i) => ({ type: 'user', name: `v${i}`, change: 'enable', detail: '' }))
    const differing = { plan: { objects }, changes: { conflicts }, desiredMark: 'a' } as Awaited<ReturnType<Plan>>
    await checkedAt(new Date(start), 'synced')
    now = start + 600_000
    await drift(async () => differing).compareDue()
    const { detail } = (await healthOf()).identity
    expect(detail).toContain(
      `${conflicts[4]} And 4091 other conflicts. A deployment would enable the user 'v0', enable the user 'v1', `,
    )
    expect(detail).toMatch(/enable the user 'v4', 1 other change\.$/)
    await checkedAt(far, 'unreachable')
  })

  it('though the comparison of another one before it throws', async () => {
    await checkedAt(new Date(start), 'synced')
    now = start + 600_000
    asked.length = 0
    const one = drift(async (id) => {
      if (id === 0) throw new Error('no connection to the database')
      return silent(id)
    })
    one.compareSoon(0)
    await expect(one.compareDue()).rejects.toThrow('no connection to the database')
    expect(asked).toEqual([0, alerts.cluster])
    expect((await healthOf()).identity.state).toBe('unreachable')
    await checkedAt(far, 'unreachable')
  })
})
