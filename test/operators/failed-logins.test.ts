import { Writable } from 'node:stream'
import { createLog } from '@roost/control-plane/dist/lifecycle/log.js'
import { createFailedLogins } from '@roost/control-plane/dist/operators/failed-logins.js'
import { expect, it } from 'vitest'
import { startApi } from '../support/http/api.js'

const failing = { headers: { authorization: 'apikey admin:wrong' } }

it('failed logins are in the audit by address, and requests without credentials are not', async () => {
  const api = await startApi()
  try {
    for (const from of ['127.0.3.1', '127.0.3.1', '127.0.3.2'])
      expect((await api.call('/api/v1/clusters/', { ...failing, from })).status).toBe(401)
    const none = { headers: { authorization: null }, from: '127.0.3.3' }
    expect((await api.call('/api/v1/clusters/', none)).status).toBe(401)
    await api.context.failedLogins.stop()
    const { body } = await api.get('/api/v1/audit_events/?action=refuse&resource=operators')
    expect(body.objects).toMatchObject([
      { operator: '', key_id: null, address: '127.0.3.1', changes: { failed_logins: [null, 2] } },
      { operator: '', key_id: null, address: '127.0.3.2', changes: { failed_logins: [null, 1] } },
    ])
  } finally {
    await api.stop()
  }
})

it('failed logins of many addresses leave a bounded number of lines and events', async () => {
  const lines: string[] = []
  const out = new Writable({
    write(chunk: Buffer, _encoding, done) {
      lines.push(chunk.toString())
      done()
    },
  })
  const recorded = new Map<string, number>()
  const record = async (address: string, failures: number) => void recorded.set(address, failures)
  const logins = createFailedLogins({ record, log: createLog({ level: 'info', out }) })
  for (let i = 0; i < 3_000; i++) logins.fail(`192.0.${i % 3}.${i % 250}`)
  await logins.stop()
  expect(lines).toHaveLength(100)
  expect(recorded.size).toBe(101)
  expect([...recorded.values()].reduce((sum, failures) => sum + failures, 0)).toBe(3_000)
})
