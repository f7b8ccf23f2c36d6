import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { InventoryProblem } from '@roost/api-types/agent'
import { openMachine } from '../../machine/machine.js'
import { watchLogFormat } from './format-watch.js'
import { logFormatOf } from './log-format.js'
import { readProxyLogging } from './proxy-logging.js'
import { swiftTemplate } from './template.js'

let root: string
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'roost-template-'))
  mkdirSync(join(root, 'etc/swift/proxy-server.conf.d'), { recursive: true })
  // A root with a kernel of its own, in which no proxy runs.
  mkdirSync(join(root, 'proc/1'), { recursive: true })
})
afterEach(() => rmSync(root, { recursive: true }))

const file = '/etc/swift/proxy-server.conf'
const write = (text: string, path = file): void => writeFileSync(join(root, path), text)
const formatNow = () => {
  const machine = openMachine(root)
  return logFormatOf(readProxyLogging(machine, machine, '/etc/swift'))
}

function configuration({
  pipeline = 'catch_errors proxy-logging s3api proxy-server',
  logging = '',
  defaults = '',
} = {}) {
  return `[DEFAULT]\nbind_port = 8080\n${defaults}\n[pipeline:main]\npipeline = ${pipeline}\n\n[filter:s3api]\nuse = egg:swift#s3api\n\n[filter:proxy-logging]\nuse = egg:swift#proxy_logging\n${logging}\n[app:proxy-server]\nuse = egg:swift#proxy\n`
}

/** Applies the diff of the only fault as an operator does, and returns the faults that are left. */
function patched() {
  const [fault] = formatNow().faults
  const [, path = ''] = /^--- (.*)$/m.exec(fault?.diff ?? '') ?? []
  execFileSync('patch', [join(root, path)], { input: fault?.diff })
  return { fault, text: readFileSync(join(root, path), 'utf8'), left: formatNow().faults }
}

describe('the template of a proxy', () => {
  it('needs the account where S3 is served', () => {
    write(configuration())
    const { fault, text, left } = patched()
    expect(fault).toMatchObject({
      of: 's3',
      file,
      message: expect.stringContaining(`{account} to log_msg_template in ${file}`),
    })
    expect(text).toContain(`[filter:proxy-logging]\nlog_msg_template = ${swiftTemplate} {account}\nuse =`)
    expect(left).toEqual([])
  })

  it('is changed in the file behind a link', () => {
    write(configuration())
    symlinkSync('../proxy-server.conf', join(root, 'etc/swift/proxy-server.conf.d/10-proxy-server.conf'))
    const { fault, left } = patched()
    expect([fault?.file, left]).toEqual([file, []])
  })

  it('needs no account without S3', () => {
    write(configuration({ pipeline: 'catch_errors proxy-logging proxy-server' }))
    expect(formatNow().faults).toEqual([])
  })

  it('of the operator gets the fields that it lacks at its end, in the file that has it', () => {
    write(configuration(), '/etc/swift/proxy-server.conf.d/10-base.conf')
    const own = '{end_time} {path} {status_int} {bytes_recvd} {bytes_sent}'
    const path = '/etc/swift/proxy-server.conf.d/20-log.conf'
    write(`[filter:proxy-logging]\nset log_msg_template = ${own}\nreveal_sensitive_prefix = 8\n`, path)
    const { fault, text, left } = patched()
    expect(fault).toMatchObject({ of: 'requests', file: path, message: expect.stringContaining('it has no {source}') })
    expect(text).toMatch(/\nset log_msg_template = \{end_time\} .* \{source\} \{account\}\nreveal/)
    expect(left).toEqual([])
  })

  it('of all sections is the one that counts', () => {
    write(
      configuration({
        defaults: `log_msg_template = ${swiftTemplate} {account}\n`,
        logging: 'log_msg_template = {path}\n',
      }),
    )
    expect(formatNow().faults).toEqual([])
  })

  it('that is continued on another line is replaced', () => {
    write(configuration({ logging: `log_msg_template = ${swiftTemplate}\n  {account}\n` }))
    const { fault, text, left } = patched()
    expect(fault?.message).toContain('it has a tab or a line break')
    expect(text).toContain(`\nlog_msg_template = ${swiftTemplate} {account}\n\n[app`)
    expect(left).toEqual([])
  })

  it('that has no separators is replaced', () => {
    write(
      configuration({ logging: 'log_msg_template = {path}{status_int}{bytes_recvd}{bytes_sent}{source}{end_time}\n' }),
    )
    const { text, left } = patched()
    expect(text).toContain(`\nlog_msg_template = ${swiftTemplate} {account}\n`)
    expect(left).toEqual([])
  })
})

describe('the problem of a node', () => {
  const line =
    'p: 10.0.0.9 10.0.0.9 20/Nov/2026/10/30/27 PUT /photos/a HTTP/1.1 200 - Boto3 - 10 20 - tx1 - 0.1 - - 1.000000000 2.000000000 1'

  it('stays until the template has the account and the proxy was reloaded', () => {
    let nowMs = 0
    let problems: readonly InventoryProblem[] = []
    const clock = { now: () => nowMs, monotonic: () => nowMs, after: () => () => {} }
    const read = watchLogFormat({
      machine: openMachine(root),
      swiftDirectory: '/etc/swift',
      problems: { set: (_source, now) => (problems = now) },
      clock,
    })
    write(configuration())
    expect(read().parse(line)?.request?.account).toBeNull()
    expect(problems).toMatchObject([{ code: 'transfer_not_counted', subject: file }])
    patched()
    read().parse(line)
    read()
    expect(problems).toMatchObject([{ message: expect.stringMatching(/reload the proxy\.$/) }])
    nowMs = 600_001
    read()
    expect(problems).toEqual([])
  })
})
