import { describe, expect, it } from 'vitest'
import { checkReceiver, checkReceiverChange, newReceiver, receiverChange, receiverInput } from './receiver-values.js'

describe('the form of a receiver', () => {
  it('sends the settings of the chosen kind alone, and none that is empty', () => {
    const values = { ...newReceiver, name: 'on-call', url: 'https://alerts.example/hook', host: 'mail.example' }
    expect(receiverInput(values)).toMatchObject({
      kind: 'webhook',
      cluster: null,
      settings: { url: 'https://alerts.example/hook' },
    })
    expect(receiverInput({ ...values, kind: 'alertmanager', urls: 'https://a.example\nhttps://b.example\n' })).toEqual({
      name: 'on-call',
      kind: 'alertmanager',
      cluster: null,
      least_severity: 'warning',
      send_resolved: true,
      settings: { urls: ['https://a.example', 'https://b.example'] },
    })
  })

  it('reports a fault of the settings at its field', () => {
    const values = { ...newReceiver, name: 'mail', kind: 'email', host: 'mail.example', from: 'a@b.example' } as const
    expect(Object.keys(checkReceiver(values))).toEqual(['to'])
    expect(Object.keys(checkReceiver({ ...values, to: 'c@d.example', user: 'roost' }))).toEqual(['password'])
    expect(checkReceiver({ ...values, to: 'c@d.example' })).toEqual({})
    expect(Object.keys(checkReceiver({ ...newReceiver, name: 'x', url: 'ftp://a' }))).toEqual(['url'])
  })

  it('changes no settings unless all of them are given again', () => {
    const values = { ...newReceiver, name: 'on-call', replaces: false }
    const change = { name: 'on-call', least_severity: 'warning', send_resolved: true }
    expect([receiverChange(values), checkReceiverChange(values)]).toEqual([change, {}])
    expect(Object.keys(checkReceiverChange({ ...values, replaces: true }))).toEqual(['url'])
    const replaced = { ...values, replaces: true, url: 'https://alerts.example/new', authorization: 'Bearer abc' }
    expect([receiverChange(replaced), checkReceiverChange(replaced)]).toEqual([
      { ...change, settings: { url: 'https://alerts.example/new', authorization: 'Bearer abc' } },
      {},
    ])
  })
})
