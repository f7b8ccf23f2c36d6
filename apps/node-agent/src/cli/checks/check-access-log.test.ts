import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openMachine } from '../../machine/machine.js'
import { logFormatOf } from '../../swift/access-log/log-format.js'
import { checkAccessLog } from './check-access-log.js'

const line =
  'p: 10.0.0.9 10.0.0.9 20/Nov/2026/10/32/14 PUT /v1/AUTH_test/c/o HTTP/1.1 201 - s3cmd tk 1 2 - tx1 - 0.1 - - 1 2 0\n'

let root: string
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'roost-doctor-'))
})
afterEach(() => rmSync(root, { recursive: true }))

async function found(text?: string, format = logFormatOf([])) {
  if (text !== undefined) writeFileSync(join(root, 'proxy.log'), text)
  const [finding] = await checkAccessLog({ kind: 'file', path: '/proxy.log' }, openMachine(root), format)
  return finding
}

describe('the doctor of a proxy', () => {
  it('says that transfer is not counted without a log', async () => {
    const [finding] = await checkAccessLog(null, openMachine(root), logFormatOf([]))
    expect(finding).toMatchObject({ verdict: 'warn', message: expect.stringMatching(/"access_log"/) })
  })

  it('names a log that is not there', async () => {
    expect(await found()).toMatchObject({ verdict: 'fail', message: expect.stringMatching(/^\/proxy\.log \(ENOENT\)/) })
  })

  it('names a log of another format', async () => {
    expect(await found('10.0.0.9 - PUT /v1/AUTH_test\n'.repeat(3))).toMatchObject({
      verdict: 'fail',
      message: expect.stringMatching(/none of the last 3 lines/),
    })
  })

  it('counts the requests by S3 that have no account, and prints the line to change', async () => {
    const files = [{ path: '/etc/swift/proxy-server.conf', text: '[filter:log]\nuse = egg:swift#proxy_logging\n' }]
    const format = logFormatOf([{ files, section: 'filter:log', template: null, servesS3: true }])
    expect(await found(`${line}${line.replace('/v1/AUTH_test/c/o', '/photos/o')}`, format)).toMatchObject({
      verdict: 'warn',
      message: expect.stringMatching(/^\/proxy\.log, 2 requests in its last 2 lines, 1 of them by S3 /),
    })
    const [, fault] = await checkAccessLog(null, openMachine(root), format)
    expect(fault).toMatchObject({
      verdict: 'warn',
      diff: expect.stringMatching(/@@ -1,1 \+1,2 @@\n \[filter:log\]\n\+log_msg_template = .* \{account\}\n$/),
    })
  })

  it('is content with one that it can read, with an empty one too', async () => {
    expect(await found(`a server has started\n${line.repeat(2)}`)).toEqual({
      check: 'access log',
      verdict: 'ok',
      message: '/proxy.log, 2 requests in its last 3 lines',
    })
    expect(await found('')).toMatchObject({ verdict: 'ok' })
    expect(await found(line.repeat(5_000))).toMatchObject({ verdict: 'ok' })
  })
})
