import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { systemClock } from '@roost/runtime'
import { startHelper } from '../../machine/helper.js'
import { openMachine } from '../../machine/machine.js'
import { type RunCommand, runCommand } from '../../machine/run-command.js'
import { testHost } from '../testing/test-host.js'
import type { Collector } from './collector.js'
import { gauge } from './metric.js'
import { createReadings } from './readings.js'
import { slowReaders, type SlowReader } from './slow-reader.js'

let root: string
const opened: SlowReader[] = []
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'roost-slow-'))
  mkdirSync(join(root, 'sys'))
})
afterEach(() => {
  for (const reader of opened.splice(0)) reader.close()
  rmSync(root, { recursive: true })
})

const write = (path: string, text: string): void => writeFileSync(join(root, path), text)
/** Makes a file that blocks each reader for ever, as a hanging driver does. */
const block = (path: string) => execFileSync('mkfifo', [join(root, path)])

function openReaders(deadlineMs: number, run: RunCommand = runCommand): () => SlowReader {
  const open = slowReaders({ machine: openMachine(root), run, start: startHelper, deadlineMs })
  return () => {
    const reader = open()
    opened.push(reader)
    return reader
  }
}

/** Reads files that answer: a busy machine takes seconds to start a process. */
async function read(...paths: readonly string[]) {
  const files = await openReaders(45_000)().read(paths)
  return Object.fromEntries([...files].map(([path, { text }]) => [path, text]))
}

describe('slow files', () => {
  it('have their texts and times', async () => {
    write('sys/temp1_input', '45000\n')
    utimesSync(join(root, 'sys/temp1_input'), 1_000, 1_234.5)
    const files = await openReaders(45_000)().read(['/sys/temp1_input'])
    expect(files).toEqual(new Map([['/sys/temp1_input', { text: '45000\n', modifiedAt: 1_234_500 }]]))
  })

  it('are left out when they are missing', async () => {
    write('sys/b', '1')
    expect(await read('/sys/a', '/none/a', '/sys/b')).toEqual({ '/sys/b': '1\n' })
    expect(await read('/sys/a')).toEqual({})
    expect(await read()).toEqual({})
  })

  it('keep every line, also lines that look like those of the helper', async () => {
    const text = `.\n\ngrep: /sys/b: No such file\n12.000 /sys/b\n/sys/b:7\n${join(root, 'sys/b')}\n\u{e4}\n`
    write('sys/a', text)
    write('sys/b', '')
    write('sys/c d\'"$x', '3\n')
    expect(await read('/sys/a', '/sys/b', '/sys/c d\'"$x')).toEqual({
      '/sys/a': text,
      '/sys/b': '',
      '/sys/c d\'"$x': '3\n',
    })
  })

  it('are read again each time by the same helper', async () => {
    const reader = openReaders(45_000)()
    for (const text of ['1\n', '2\n', '3\n']) {
      write('sys/a', text)
      expect((await reader.read(['/sys/a'])).get('/sys/a')?.text).toBe(text)
    }
  })

  it('answer questions that come at the same time one after the other', async () => {
    for (const name of ['a', 'b', 'c']) write(`sys/${name}`, name)
    const reader = openReaders(45_000)()
    const answers = await Promise.all(['a', 'b', 'c'].map((name) => reader.read([`/sys/${name}`])))
    expect(answers.map((files) => [...files.values()].map(({ text }) => text))).toEqual([['a\n'], ['b\n'], ['c\n']])
  })

  it('are those below the root: a link leads nowhere else', async () => {
    const outside = mkdtempSync(join(tmpdir(), 'roost-outside-'))
    writeFileSync(join(outside, 'secret'), 'x')
    mkdirSync(join(root, 'sys/devices'))
    write('sys/devices/a', '1')
    symlinkSync('devices', join(root, 'sys/class'))
    symlinkSync(outside, join(root, 'sys/folder'))
    symlinkSync(join(outside, 'secret'), join(root, 'sys/file'))
    expect(await read('/sys/folder/secret', '/sys/file', '/sys/class/a')).toEqual({ '/sys/class/a': '1\n' })
    rmSync(outside, { recursive: true })
  })

  it('report an error instead of a text', async () => {
    mkdirSync(join(root, 'sys/a'))
    const files = await openReaders(45_000)().read(['/sys/a'])
    expect(files.get('/sys/a')).toEqual({ text: undefined, modifiedAt: Number.NaN, error: 'Is a directory' })
  })
})

describe('a file that blocks its reader', () => {
  const deadlineMs = 3_000
  const stuck = { text: undefined, modifiedAt: Number.NaN, error: 'does not answer' }

  it('has no text, keeps the others readable, and returns when it answers', { timeout: 300_000 }, async () => {
    write('sys/a', '1')
    block('sys/b')
    write('sys/c', '3')
    const paths = ['/sys/a', '/sys/b', '/sys/c']
    const reader = openReaders(deadlineMs)()
    expect((await reader.read(paths)).get('/sys/b')).toEqual(stuck)
    const texts = async () => [...(await reader.read(paths)).values()].map(({ text }) => text)
    await expect.poll(texts).toEqual(expect.arrayContaining(['1\n', '3\n', undefined]))
    rmSync(join(root, 'sys/b'))
    write('sys/b', '2')
    await expect.poll(texts, { timeout: 90_000 }).toEqual(expect.arrayContaining(['1\n', '2\n', '3\n']))
  })

  it('is skipped while the process that reads it exists', { timeout: 300_000 }, async () => {
    block('sys/b')
    let started = 0
    // A process that hangs in the kernel outlives its kill.
    const unkillable: RunCommand = async (file, args, options) => {
      started++
      const result = await runCommand(file, args, options)
      return { ...result, ended: new Promise<void>(() => {}) }
    }
    const reader = openReaders(500, unkillable)()
    for (let i = 0; i < 5; i++) {
      expect((await reader.read(['/sys/b'])).get('/sys/b')).toEqual(stuck)
      await new Promise((resolve) => setTimeout(resolve, 700))
    }
    expect(started).toBe(1)
  })

  it('is one of many: at most four processes hang', { timeout: 300_000 }, async () => {
    const paths = Array.from({ length: 20 }, (_, i) => `/sys/b${i}`)
    for (const path of paths) block(path)
    let now = 0
    let most = 0
    const counted: RunCommand = async (file, args, options) => {
      most = Math.max(most, ++now)
      const result = await runCommand(file, args, options)
      now--
      return result
    }
    const reader = openReaders(500, counted)()
    for (let i = 0; i < 4; i++) expect([...(await reader.read(paths)).values()]).toEqual(paths.map(() => stuck))
    expect(most).toBe(4)
  })

  it('has no text when it has no end', { timeout: 300_000 }, async () => {
    // --root would refuse the link.
    const reader = slowReaders({ machine: openMachine(), run: runCommand, start: startHelper, deadlineMs: 20_000 })()
    opened.push(reader)
    write('a', '1')
    const files = await reader.read([join(root, 'a'), '/dev/zero'])
    expect(files.get('/dev/zero')).toEqual(stuck)
    await expect.poll(async () => (await reader.read([join(root, 'a')])).get(join(root, 'a'))?.text).toBe('1\n')
  })

  it('fails its collector alone, whose other values stay', { timeout: 300_000 }, async () => {
    write('sys/a', '1')
    block('sys/b')
    const sensors: Collector = {
      name: 'sensors',
      read: async ({ readSlowly }) =>
        [...(await readSlowly(['/sys/a', '/sys/b']))].map(([path, { text }]) =>
          gauge(`sensors.${path.at(-1)}`, 'count', Number(text)),
        ),
    }
    const steady: Collector = { name: 'steady', read: () => [gauge('steady.level', 'count', 7)] }
    const faults: string[] = []
    const readings = createReadings({
      collectors: [sensors, steady],
      host: testHost({}),
      openSlowReader: openReaders(deadlineMs),
      clock: systemClock,
      onFault: (collector, error) => faults.push(`${collector}: ${String(error)}`),
    })
    const values = async () => {
      const started = performance.now()
      const { metrics, values: numbers } = await readings.read()
      expect(performance.now() - started).toBeLessThan(deadlineMs)
      return Object.fromEntries(metrics.map(({ name }, i) => [name, numbers[i]]))
    }
    await expect.poll(values, { timeout: 90_000, interval: 300 }).toMatchObject({
      'sensors.a': 1,
      'sensors.b': Number.NaN,
      'steady.level': 7,
      'roost.collector.sensors.success': 0,
      'roost.collector.steady.success': 1,
    })
    expect(faults).toEqual(['sensors: /sys/b: does not answer'])
    await readings.close()
  })
})
