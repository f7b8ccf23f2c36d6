import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Described } from './documents.js'
import { Faults } from './faults.js'
import type { Lookups } from './lookups.js'
import { planAlertReceiver } from './receivers.js'

let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'roost-receivers-'))
  await writeFile(join(folder, 'settings'), 'url: https://alerts.example/secret\n')
})
afterAll(() => rm(folder, { recursive: true, force: true }))

const stored = { id: 1, name: 'on-call', kind: 'webhook', cluster: null, target: 'https://alerts.example' }

/** The changes of the plan where the control plane has this receiver, and this answer to the check of its settings. */
async function changesWith(present: object, check: () => Promise<object>) {
  const list = { query: async () => ({ objects: [present] }) }
  const lookups = { rpc: { alertReceivers: { list, change: { mutate: check } } } } as unknown as Lookups
  const document = {
    kind: 'alert_receiver',
    at: 'all.yaml:1',
    folder,
    name: 'on-call',
    type: 'webhook',
    cluster: null,
    settings_file: 'settings',
  } as Described<'alert_receiver'>
  const steps = await planAlertReceiver(document, lookups, new Faults())
  return steps.map(({ changes }) => changes)
}

function refusal(code: string): Error {
  return Object.assign(new Error(`It is ${code}.`), { name: 'TRPCClientError', data: { code } })
}

it.each(['TOO_MANY_REQUESTS', 'FORBIDDEN', 'TIMEOUT', 'NOT_FOUND', 'SERVICE_UNAVAILABLE'])(
  'does not take settings for changed where they cannot be compared: %s',
  async (code) => {
    const error = refusal(code)
    const present = { ...stored, settings_changed_at: null }
    await expect(changesWith(present, () => Promise.reject(error))).rejects.toBe(error)
  },
)

it('leaves it to the check of the step to report settings that are refused', async () => {
  const present = { ...stored, settings_changed_at: null }
  expect(await changesWith(present, () => Promise.reject(refusal('BAD_REQUEST')))).toEqual([
    { settings: ['of before', 'of the file'] },
  ])
})

it('sets the settings where the control plane is too old to compare them, and not where they are the same', async () => {
  expect(await changesWith(stored, async () => stored)).toEqual([{ settings: ['of before', 'of the file'] }])
  for (const settings_changed_at of [null, '2026-11-26T08:00:00.000Z']) {
    const present = { ...stored, settings_changed_at }
    expect(await changesWith(present, async () => present)).toEqual([])
  }
})
