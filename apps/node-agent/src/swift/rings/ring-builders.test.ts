import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openMachine } from '../../machine/machine.js'
import { runCommand, type RunCommand } from '../../machine/run-command.js'
import { createBuilderReader } from './ring-builders.js'

const fixtures = fileURLToPath(new URL('fixtures', import.meta.url))

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'roost-builders-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

describe('a builder file', () => {
  it('of Swift has its min_part_hours, and is read once', async () => {
    const calls: string[] = []
    const run: RunCommand = (file, args, options) => {
      calls.push(file)
      return runCommand(file, args, { ...options, deadlineMs: 60_000 })
    }
    const read = createBuilderReader(openMachine(fixtures), run)
    expect([await read('/three-zones.builder'), await read('/three-zones.builder')]).toEqual([24, 24])
    expect(calls).toEqual(['python3'])
  })

  it('that would run a program is not read', async () => {
    const read = createBuilderReader(openMachine(folder), runCommand)
    const mark = join(folder, 'mark')
    writeFileSync(join(folder, 'object.builder'), `cos\nsystem\n(S'touch ${mark}'\ntR.`)
    expect(await read('/object.builder')).toBeUndefined()
    expect(openMachine(folder).stamp('/mark')).toBeUndefined()
  })

  it('that is not there or damaged is unknown', async () => {
    const read = createBuilderReader(openMachine(folder), runCommand)
    expect(await read('/object.builder')).toBeUndefined()
    writeFileSync(join(folder, 'object.builder'), 'damaged')
    expect(await read('/object.builder')).toBeUndefined()
  })
})
