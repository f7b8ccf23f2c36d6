import { appendFileSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { randomInt } from 'node:crypto'
import { createSocket } from 'node:dgram'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Log } from '@roost/runtime'
import { type LogFormat, logFormatOf } from './log-format.js'
import { type AccessLog, TransferUsage } from './transfer-usage.js'

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']
const ten = Date.UTC(2026, 10, 20, 10) / 1_000
const minute = 60

let dir: string
let path: string
let nowMs: number
let reported: string[]
let format: LogFormat
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'roost-transfer-'))
  path = join(dir, 'proxy.log')
  nowMs = ten * 1_000
  reported = []
  format = logFormatOf([])
})
afterEach(() => rmSync(dir, { recursive: true }))

const clock = { now: () => nowMs, monotonic: () => nowMs, after: () => () => {} }
const log: Log = { debug: () => {}, info: () => {}, warn: () => {}, error: (message) => reported.push(message) }
const open = (source: AccessLog = { kind: 'file', path }) =>
  TransferUsage.open({ source, format: () => format, dir: join(dir, 'state'), clock, log })
const at = (seconds: number): void => {
  nowMs = (ten + seconds) * 1_000
}

function lineAt(seconds: number, account: string, bytesIn: number, bytesOut: number): string {
  const [date, time] = new Date((ten + seconds) * 1_000).toISOString().split(/[T.]/) as [string, string]
  const [year, month, day] = date.split('-')
  const when = [day, months[Number(month) - 1], year, ...time.split(':')].join('/')
  return `p: 10.0.0.9 10.0.0.9 ${when} PUT /v1/${account}/c/o HTTP/1.1 201 - s3cmd tk ${bytesIn} ${bytesOut} - tx1-${count++} - 0.1 - - 1 2 0\n`
}
let count = 0

const write = (...line: Parameters<typeof lineAt>): void => appendFileSync(path, lineAt(...line))
const sumsOf = (usage: TransferUsage) =>
  usage.collectChanged().map(({ from, transfer, share }) => ({
    minute: (from - ten) / minute,
    share: Math.round(share * 1_800) / minute,
    ...Object.fromEntries(transfer.map((row) => [row.account, [row.bytes_in, row.bytes_out, row.req_count]])),
  }))

describe('the transfer of a proxy', () => {
  it('is added up by account and half-hour, with the part that was read', async () => {
    write(0, 'AUTH_a', 10, 0)
    const usage = await open()
    at(10 * minute)
    write(5 * minute, 'AUTH_a', 5, 7)
    write(6 * minute, 'AUTH_b', 0, 100)
    await usage.read()
    expect(sumsOf(usage)).toEqual([{ minute: 0, share: 10, AUTH_a: [15, 7, 2], AUTH_b: [0, 100, 1] }])
    at(40 * minute)
    write(35 * minute, 'AUTH_b', 1, 1)
    await usage.read()
    expect(sumsOf(usage)).toEqual([
      { minute: 0, share: 30, AUTH_a: [15, 7, 2], AUTH_b: [0, 100, 1] },
      { minute: 30, share: 10, AUTH_b: [1, 1, 1] },
    ])
    expect(sumsOf(usage)).toEqual([])
    await usage.close()
  })

  it('leaves out requests before the first half-hour', async () => {
    write(-1, 'AUTH_a', 1_000, 0)
    write(0, 'AUTH_a', 1, 0)
    at(20 * minute)
    const usage = await open()
    await usage.read()
    expect(sumsOf(usage)).toEqual([{ minute: 0, share: 20, AUTH_a: [1, 0, 1] }])
    await usage.close()
  })

  it('is unknown before the first line of a log', async () => {
    write(12 * minute, 'AUTH_a', 1, 0)
    at(20 * minute)
    const usage = await open()
    await usage.read()
    expect(sumsOf(usage)).toEqual([{ minute: 0, share: 8, AUTH_a: [1, 0, 1] }])
    await usage.close()
  })

  it('counts each request once over kills of the agent and a rotation', async () => {
    write(0, 'AUTH_a', 1, 0)
    let usage = await open()
    for (let i = 1; i <= 20; i++) {
      at(i * 20)
      write(i * 20 - 1, 'AUTH_a', 1, 0)
      if (i % 7 === 0) renameSync(path, `${path}.${i}`)
      if (i % 7 === 0) write(i * 20 - 1, 'AUTH_a', 1, 0)
      await usage.read()
      // Killed: nothing is closed or saved.
      if (i % 5 === 0) usage = await open()
    }
    await usage.read()
    expect(sumsOf(usage)).toEqual([{ minute: 0, share: 400 / minute, AUTH_a: [23, 0, 23] }])
    await usage.close()
  })

  it('of a time without the agent is read later if the log still exists', async () => {
    write(0, 'AUTH_a', 1, 0)
    const before = await open()
    await before.read()
    await before.close()
    at(25 * minute)
    write(20 * minute, 'AUTH_a', 5, 0)
    const after = await open()
    await after.read()
    expect(sumsOf(after)).toEqual([{ minute: 0, share: 25, AUTH_a: [6, 0, 2] }])
    await after.close()
  })

  it('is incomplete when a part of the log is lost', async () => {
    write(0, 'AUTH_a', 1, 0)
    const before = await open()
    at(5 * minute)
    await before.read()
    await before.close()
    rmSync(path)
    write(15 * minute, 'AUTH_a', 5, 0)
    at(25 * minute)
    const after = await open()
    await after.read()
    expect(sumsOf(after)).toEqual([{ minute: 0, share: 15, AUTH_a: [6, 0, 2] }])
    await after.close()
  })

  it('is incomplete by the share of requests without an account', async () => {
    format = logFormatOf([{ files: [], section: 'filter:proxy-logging', template: null, servesS3: true }])
    write(0, 'AUTH_a', 1, 0)
    for (let i = 0; i < 3; i++)
      appendFileSync(path, lineAt(minute, 'AUTH_a', 100, 0).replace('/v1/AUTH_a/c/o', '/photos/o'))
    const usage = await open()
    at(20 * minute)
    await usage.read()
    expect(sumsOf(usage)).toEqual([{ minute: 0, share: 5, AUTH_a: [1, 0, 1] }])
    await usage.close()
  })

  it('is unknown while the lines have a format that cannot be parsed', async () => {
    write(0, 'AUTH_a', 1, 0)
    const usage = await open()
    at(5 * minute)
    await usage.read()
    format = logFormatOf([
      { files: [], section: 'filter:proxy-logging', template: '{path} {status_int}', servesS3: false },
    ])
    appendFileSync(path, 'p: /v1/AUTH_a/c/o 201\n')
    at(15 * minute)
    await usage.read()
    format = logFormatOf([])
    write(16 * minute, 'AUTH_a', 5, 0)
    at(20 * minute)
    await usage.read()
    expect(sumsOf(usage)).toEqual([{ minute: 0, share: 9, AUTH_a: [6, 0, 2] }])
    await usage.close()
  })

  it('is reported completely again after a restart', async () => {
    write(0, 'AUTH_a', 1, 0)
    const before = await open()
    await before.read()
    expect(sumsOf(before)).toHaveLength(0 + 1)
    await before.close()
    const after = await open()
    expect(sumsOf(after)).toEqual([{ minute: 0, share: 0, AUTH_a: [1, 0, 1] }])
    await after.close()
  })

  it('starts again, with an error in the log, when the sums are damaged', async () => {
    await (await open()).close()
    writeFileSync(
      join(dir, 'state', 'transfer.json'),
      readFileSync(join(dir, 'state', 'transfer.json')).subarray(0, 20),
    )
    await (await open()).close()
    expect(reported).toEqual([expect.stringMatching(/counting starts from zero/)])
  })

  it('fails without a log, and continues when it exists', async () => {
    const usage = await open()
    await expect(usage.read()).rejects.toThrow(/proxy\.log does not exist/)
    write(minute, 'AUTH_a', 1, 0)
    at(2 * minute)
    await usage.read()
    expect(sumsOf(usage)).toMatchObject([{ AUTH_a: [1, 0, 1] }])
    await usage.close()
  })

  it('is also received by datagrams, for the time in which the agent listened', async () => {
    const socket = createSocket('udp4')
    const port = await freePort()
    const usage = await open({ kind: 'udp', address: '127.0.0.1', port })
    await usage.read()
    at(3 * minute)
    socket.send(lineAt(minute, 'AUTH_a', 10, 20), port, '127.0.0.1')
    await expect.poll(() => sumsOf(usage), { timeout: 45_000 }).toMatchObject([{ AUTH_a: [10, 20, 1] }])
    await usage.read()
    expect(sumsOf(usage)).toEqual([{ minute: 0, share: 3, AUTH_a: [10, 20, 1] }])
    socket.close()
    await usage.close()
  })
})

/** A port below the range of the kernel, so that no other program gets it before it is opened again. */
async function freePort(): Promise<number> {
  const port = randomInt(20_000, 32_000)
  const socket = createSocket('udp4')
  const isFree = await new Promise<boolean>((resolve) => {
    socket.once('error', () => resolve(false))
    socket.bind(port, '127.0.0.1', () => resolve(true))
  })
  await new Promise<void>((resolve) => socket.close(resolve))
  return isFree ? port : freePort()
}
