import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { useAlertLab } from '../support/alerts/alert-lab.js'
import { controlPlaneEnv } from '../support/http/control-plane.js'
import { runRoost } from '../support/programs/processes.js'

const lab = useAlertLab()
const [roundMs, hourMs] = [30_000, 3_600_000]
const code = 'SECOND_CONTROL_PLANE'

/** Starts another control plane on the database, which is refused now. */
async function startSecond(): Promise<void> {
  const dataDir = await mkdtemp(join(tmpdir(), 'roost-second-'))
  const env = controlPlaneEnv(dataDir, { DATABASE_URL: lab.api.database.url, ROOST_LOCK_WAIT: '0' })
  const { refusedStarts } = lab.api.context.options
  const before = refusedStarts.latest()
  expect((await runRoost(['local', 'serve'], env)).code).toBe(1)
  await expect.poll(() => refusedStarts.latest()).not.toBe(before)
  await rm(dataDir, { recursive: true, force: true })
}

const states = async () =>
  (await lab.api.database.prisma.alert.findMany({ where: { code }, orderBy: { id: 'asc' } })).map(({ state }) => state)

it('a second control plane that is refused is an alert of the first, for an hour after its last attempt', async () => {
  await startSecond()
  const refusedAt = new Date().toISOString()
  await lab.pass(roundMs)
  const { body } = await lab.api.get(`/api/v1/alerts/?code=${code}`)
  expect(body.objects).toMatchObject([
    { state: 'firing', severity: 'warning', subject: 'database', cluster: null, node: null, value: null },
  ])
  expect(body.objects[0].summary).toMatch(/^Another control plane \(process \d+ on \S+\) was kept off the database/)
  expect(body.objects[0].summary).toContain(refusedAt)
  await lab.wait(hourMs / 2)
  await startSecond()
  await lab.wait(hourMs - roundMs)
  await lab.pass(roundMs)
  expect(await states()).toEqual(['firing'])
  await lab.pass(2 * roundMs)
  expect(await states()).toEqual(['resolved'])
})

it('is not known to have ended until the first has run for an hour after a restart', async () => {
  await startSecond()
  await lab.pass(roundMs)
  await lab.restart(0)
  await lab.pass(2 * roundMs)
  expect(await states()).toEqual(['unknown'])
  await lab.wait(hourMs - 3 * roundMs)
  await lab.pass(roundMs)
  expect(await states()).toEqual(['unknown'])
  await lab.pass(2 * roundMs)
  expect(await states()).toEqual(['resolved'])
})
