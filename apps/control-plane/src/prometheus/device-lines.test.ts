import { describe, expect, it } from 'vitest'
import { deviceLines, escapeLabel } from './device-lines.js'

async function* pages() {
  yield [{ cluster: 'default', node: 'n1', device: 'd1', rawBytes: 100, usedBytes: 30, freeBytes: 70 }]
  yield [{ cluster: 'default', node: 'n"2', device: 'd2', rawBytes: 1e13, usedBytes: 1e13, freeBytes: 0 }]
}

describe('the metrics of devices', () => {
  it('stand family by family, as the text format wants it', async () => {
    const lines = (await deviceLines(pages())).split('\n').filter((line) => !line.startsWith('# HELP'))
    expect(lines).toEqual([
      '# TYPE roost_device_raw_bytes gauge',
      'roost_device_raw_bytes{cluster="default",node="n1",device="d1"} 100',
      String.raw`roost_device_raw_bytes{cluster="default",node="n\"2",device="d2"} 10000000000000`,
      '# TYPE roost_device_used_bytes gauge',
      'roost_device_used_bytes{cluster="default",node="n1",device="d1"} 30',
      String.raw`roost_device_used_bytes{cluster="default",node="n\"2",device="d2"} 10000000000000`,
      '# TYPE roost_device_free_bytes gauge',
      'roost_device_free_bytes{cluster="default",node="n1",device="d1"} 70',
      String.raw`roost_device_free_bytes{cluster="default",node="n\"2",device="d2"} 0`,
      '',
    ])
  })

  it('have backslash and quote in labels escaped, and nothing that changes how a terminal shows them', () => {
    expect(escapeLabel('a\\b"c\nd\u001B[2J\u202Ee')).toBe(String.raw`a\\b\"c?d?[2J?e`)
  })
})
