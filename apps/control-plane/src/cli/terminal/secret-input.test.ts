import { PassThrough } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { readSecret } from './secret-input.js'

function typed(text: string, isTTY: boolean) {
  const input = Object.assign(new PassThrough(), { isTTY })
  let shown = ''
  const err = new PassThrough().setEncoding('utf8').on('data', (chunk) => (shown += chunk))
  input.end(text)
  return { read: readSecret('The key of a:b: ', input as never, err as never), shown: () => shown }
}

describe('a secret from standard input', () => {
  it('is its first line', async () => {
    const { read, shown } = typed('S3CR3T\nmore\n', false)
    expect(await read).toBe('S3CR3T')
    expect(shown()).toBe('')
  })

  it('is asked for on a terminal, and not shown there', async () => {
    const { read, shown } = typed('S3CRET\x7f\x7fT\rmore', true)
    expect(await read).toBe('S3CRT')
    expect(shown()).toBe('The key of a:b: \n')
  })

  it('is nothing when it is interrupted', async () => {
    expect(await typed('S3C\x03', true).read).toBe('')
  })
})
