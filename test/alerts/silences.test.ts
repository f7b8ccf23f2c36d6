import { beforeEach, describe, expect, it, vi } from 'vitest'
import { addDevice } from '../support/agents/fleet-rows.js'
import { useAlertRounds } from '../support/agents/alert-rounds.js'

const suite = useAlertRounds()
const rounds = (count: number) => suite.rounds(count)
const brief = (query?: string) => suite.brief(query)
const list = (query?: string) => suite.list(query)
const hours = (count: number) => new Date(Date.now() + count * 3_600_000).toISOString()
const silence = async (matchers: object, more: object = {}) => {
  const body = { matchers, ends_at: hours(2), comment: 'disk swap', ...more }
  return suite.api.call('/api/v1/alert_silences/', { method: 'POST', body })
}
const needed = () => brief('needs_action=true&order_by=rank')
const silent = () => brief('silenced=true')
const unmounted = 'DEVICE_UNMOUNTED d5 firing'
let device: number

beforeEach(async () => {
  await suite.api.database.prisma.alertSilence.deleteMany()
  device = await addDevice(suite.api.database, suite.cluster, suite.node, { name: 'd5', status: 'unmounted' })
  await rounds(8)
})

describe('a silence', () => {
  it('makes an alert silent at once, in lists and on /metrics, until it ends', async () => {
    const line = 'cluster="east",node="store-1",subject="d5",silenced='
    expect(await needed()).toEqual([unmounted])
    const { status, body } = await silence({ code: 'DEVICE_UNMOUNTED', subject: 'd5' })
    expect([status, body.operator, body.until_worse]).toEqual([201, 'admin', false])
    expect([await needed(), await silent()]).toEqual([[], [unmounted]])
    expect(await list()).toMatchObject([{ silenced: true, silenced_until: body.ends_at, state: 'firing' }])
    await rounds(1)
    expect((await suite.api.get('/metrics')).text).toContain(`${line}"true"`)
    vi.setSystemTime(Date.parse(body.ends_at))
    await rounds(1)
    expect([await needed(), await silent()]).toEqual([[unmounted], []])
    expect((await suite.api.get('/metrics')).text).toContain(`${line}"false"`)
  })

  it.each([
    ['its cluster', () => ({ cluster: suite.cluster }), true],
    ['its node', () => ({ node: `/api/v1/nodes/${suite.node}/` }), true],
    ['its device', () => ({ device }), true],
    ['all that it names', () => ({ device, code: 'DEVICE_UNMOUNTED' }), true],
    ['not only a part of what it names', () => ({ device, code: 'DEVICE_MISSING' }), false],
    ['not another subject', () => ({ subject: 'd6' }), false],
  ])('matches an alert by %s', async (_what, matchers, isSilent) => {
    expect((await silence(matchers())).status).toBe(201)
    expect(await silent()).toEqual(isSilent ? [unmounted] : [])
  })

  it('can end early, and later than it said; the audit has both', async () => {
    const uri = (await silence({ device })).body.resource_uri
    expect((await suite.api.patch(uri, { ends_at: hours(5) })).status).toBe(202)
    expect(await list()).toMatchObject([{ silenced_until: hours(5) }])
    expect((await suite.api.call(uri, { method: 'DELETE' })).status).toBe(204)
    expect(await needed()).toEqual([unmounted])
    const audit = await suite.api.get('/api/v1/audit_events/?resource=alert_silences&order_by=-id&limit=3')
    expect(audit.body.objects.map(({ action }: { action: string }) => action)).toEqual(['remove', 'change', 'create'])
  })

  it('begins when it says', async () => {
    await silence({ device }, { starts_at: hours(1) })
    expect(await silent()).toEqual([])
    vi.setSystemTime(Date.parse(hours(1)))
    await rounds(1)
    expect(await silent()).toEqual([unmounted])
  })

  it('breaks when its alert becomes worse, if it should, and stays broken', async () => {
    await suite.changeNode({ state: 'offline', lastSeen: new Date(Date.now() - 300_000) })
    await rounds(1)
    await silence({ code: 'NODE_SILENT' }, { until_worse: true, ends_at: hours(24) })
    expect(await silent()).toEqual(['NODE_SILENT store-1 firing'])
    await rounds(60)
    expect(await list('code=NODE_SILENT')).toMatchObject([{ severity: 'critical', silenced: false }])
    expect(await needed()).toContain('NODE_SILENT store-1 firing')
  })

  const problemOf = (code: string, value: number, threshold: number) =>
    suite.changeNode({ problems: [{ code, subject: 's', message: 'It is so.', value, threshold }] })

  it.each([
    ['cache_small', 'CACHE_SMALL', 1_024, [500, 455, 449]],
    ['share_not_uploaded', 'UPLOADS_WAIT', 0, [100, 109, 111]],
    ['async_pending', 'ASYNC_PENDING', 3_600, [4_000, 7_900, 8_100]],
  ] as const)(
    'until worse holds while %s moves a little, and breaks when it moves more',
    async (problem, code, limit, values) => {
      const [first, near, worse] = values
      await problemOf(problem, first, limit)
      await rounds(11)
      await silence({ code }, { until_worse: true, ends_at: hours(24) })
      const isSilent = async (value: number) => {
        await problemOf(problem, value, limit)
        await rounds(1)
        return (await list(`code=${code}`))[0]?.silenced
      }
      expect([await isSilent(first), await isSilent(near), await isSilent(worse)]).toEqual([true, true, false])
      expect(await isSilent(first)).toBe(false)
    },
  )

  it('until worse breaks also when the limit has passed the value of its begin', async () => {
    await problemOf('daemon_late', 5_000, 4_500)
    await rounds(1)
    await silence({ code: 'DAEMON_LATE' }, { until_worse: true, ends_at: hours(24) })
    await problemOf('daemon_late', 5_450, 5_400)
    await rounds(1)
    expect(await list('code=DAEMON_LATE')).toMatchObject([{ value: 5_450, threshold: 5_400, silenced: true }])
    await problemOf('daemon_late', 10_100, 5_400)
    await rounds(1)
    expect(await list('code=DAEMON_LATE')).toMatchObject([{ silenced: false }])
  })

  it.each([
    ['ends_at', () => ({ ends_at: hours(31 * 24) }), 'A silence may last at most 30 days.'],
    ['ends_at', () => ({ ends_at: hours(-1) }), 'A silence must end after its start.'],
    ['ends_at', () => ({ ends_at: undefined }), 'This field is required.'],
    ['matchers', () => ({ matchers: {} }), 'Name at least one of cluster, node, device, code and subject.'],
    ['matchers', () => ({ matchers: { code: 'NONSENSE' } }), 'code: Unknown code. docs/checks.md lists the codes.'],
  ])('is refused with a faulty %s', async (field, more, sentence) => {
    const { status, body } = await silence({ device }, more())
    expect([status, body]).toEqual([400, { alert_silences: { [field]: [sentence] } }])
  })

  it('is refused for a node that does not exist', async () => {
    expect((await silence({ node: 999_999 })).body.error).toContain("via resource URI '/api/v1/nodes/999999/'")
  })
})

describe('the maintenance of a node', () => {
  const uri = () => `/api/v1/nodes/${suite.node}/`
  const verdict = async () => (await suite.api.get(`/api/v1/clusters/${suite.cluster}/health/`)).body

  it('makes its alerts silent, and the node and the health say so, until it is over', async () => {
    expect((await verdict()).verdict).toBe('warn')
    const until = hours(2)
    const { status, body } = await suite.api.patch(uri(), { maintenance_until: until })
    expect([status, body.maintenance_until]).toEqual([202, until])
    expect([await needed(), await silent()]).toEqual([[], [unmounted]])
    const maintenance = [{ node: uri(), hostname: 'store-1', until }]
    expect(await verdict()).toMatchObject({ verdict: 'ok', maintenance, reason_count: 1 })
    vi.setSystemTime(Date.parse(until))
    await rounds(1)
    expect(await needed()).toEqual([unmounted])
    expect((await suite.api.get(uri())).body.maintenance_until).toBeNull()
    expect(await verdict()).toMatchObject({ verdict: 'warn', maintenance: [] })
  })

  it('is ended by null, and lasts at most 30 days', async () => {
    await suite.api.patch(uri(), { maintenance_until: hours(2) })
    expect(await silent()).toEqual([unmounted])
    await suite.api.patch(uri(), { maintenance_until: null })
    expect(await silent()).toEqual([])
    const late = await suite.api.patch(uri(), { maintenance_until: hours(31 * 24) })
    expect(late.body.nodes.maintenance_until).toEqual(['A maintenance may last at most 30 days.'])
  })

  it('of many nodes is no silence of their cluster', async () => {
    const off = { state: 'offline', lastSeen: new Date(), maintenanceUntil: new Date(Date.now() + 7_200_000) }
    await suite.changeNode(off)
    await rounds(4)
    expect(await brief('code=CLUSTER_SILENT')).toEqual([])
  })
})
