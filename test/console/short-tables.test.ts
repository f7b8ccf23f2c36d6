import { readFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { addNode } from '../support/agents/fleet-rows.js'
import { faultsOf } from '../support/console/browser.js'
import { hasBrowser, settled } from '../support/console/chromium.js'
import { useConsole } from '../support/console/console.js'
import { addScreenRecords } from '../support/console/screens.js'
import type { TestApi } from '../support/http/api.js'

/** The files of short tables: the screen, the button, and the numbers of the records that the database has. */
const tables = [
  ['silences', '/alerts/silences', 'CSV', ({ alertSilence }) => alertSilence.findMany()],
  ['receivers', '/alerts/receivers', 'CSV', ({ alertReceiver }) => alertReceiver.findMany()],
  ['rules', '/alerts/rules', 'CSV of rules', ({ alertRule }) => alertRule.findMany()],
  ['limits', '/alerts/rules', 'CSV of limits', ({ alertMetricRule }) => alertMetricRule.findMany()],
  ['operators', '/access', 'CSV', ({ operator }) => operator.findMany()],
  ['keys', '/access?tab=keys', 'CSV', ({ apiKey }) => apiKey.findMany({ where: { kind: 'key' } })],
  ['sessions', '/access?tab=sessions', 'CSV', ({ apiKey }) => apiKey.findMany({ where: { kind: 'session' } })],
  ['tokens', '/access?tab=tokens', 'CSV', ({ enrollmentToken }) => enrollmentToken.findMany()],
  ['devices-of-st-01', '/nodes/2/devices', 'CSV', ({ device }) => device.findMany({ where: { nodeId: 2 } })],
] as const satisfies readonly (readonly [
  name: string,
  screen: string,
  button: string,
  rows: (prisma: TestApi['database']['prisma']) => Promise<readonly { readonly id: number }[]>,
])[]

const url = 'https://hooks.example.com/secret-path'
const receiver = { name: 'chat', kind: 'webhook', settings: { url } }

describe.skipIf(!hasBrowser)('the short tables of the console', () => {
  const lab = useConsole(async (api) => {
    await addScreenRecords(api)
    const post = async (path: string, body: object) =>
      expect((await api.call(path, { method: 'POST', body })).status).toBe(201)
    const silence = { matchers: { code: 'DEVICE_FULL' }, comment: 'new, and "larger" disks' }
    await post('/api/v1/alert_silences/', { ...silence, ends_at: new Date(Date.now() + 3_600_000).toISOString() })
    await post('/api/v1/alert_receivers/', receiver)
    const { id: clusterId } = await api.database.prisma.cluster.findFirstOrThrow()
    const expiresAt = new Date(Date.now() + 3_600_000)
    const token = { digest: new Uint8Array(32), clusterId, usesLeft: 1, expiresAt }
    await api.database.prisma.enrollmentToken.create({ data: token })
  })

  /** Returns the lines of the file that the button of a screen saves. */
  async function saved(name: string, screen: string, button: string): Promise<readonly string[]> {
    const { visitor, page } = await lab.enter(screen)
    await settled(page)
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: button, exact: true }).click(),
    ])
    expect(download.suggestedFilename()).toBe(`${name}.csv`)
    expect(await faultsOf(page)).toEqual([])
    visitor.expectNoErrors(/status of 401/)
    return (await readFile(await download.path(), 'utf8')).split('\r\n').slice(0, -1)
  }

  it.each(tables)('save %s as CSV, each record once and no secret', async (name, screen, button, rows) => {
    const [head = '', ...lines] = await saved(name, screen, button)
    const column = head.split(',').indexOf('id')
    const ids = lines.map((line) => Number(line.split(',')[column])).toSorted((a, b) => a - b)
    const expected = (await rows(lab.api.database.prisma)).map(({ id }) => id).toSorted((a, b) => a - b)
    expect(expected).not.toEqual([])
    expect(ids).toEqual(expected)
    expect([head, ...lines].join()).not.toMatch(/secret-path|digest/)
  })

  it('save the copies of each ring, also those that differ', async () => {
    for (const [hostname, md5] of [
      ['st-11', 'a'.repeat(32)],
      ['st-12', 'b'.repeat(32)],
    ] as const)
      await addNode(lab.api.database, lab.cluster, {
        hostname,
        inventory: { rings: [{ name: 'object', md5, version: 1, devices: 3, partitions: 8, replicas: 3 }] },
      })
    const [head = '', ...lines] = await saved('rings', '/swift', 'CSV')
    expect(head.split(',')).toEqual(expect.arrayContaining(['name', 'agree', 'md5', 'nodes']))
    const copies = lines.map((line) => `${line.split(',')[0]} ${/[ab]{32}/.exec(line)?.[0]}`)
    expect(copies.toSorted((one, other) => one.localeCompare(other))).toEqual([
      `object ${'a'.repeat(32)}`,
      `object ${'b'.repeat(32)}`,
    ])
  })
})
