import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import * as z from 'zod/mini'
import { readManagedRecord } from './managed-record.js'

const Numbered = z.object({ generation: z.number() })

describe('a record of the agent', () => {
  let dir = ''
  beforeEach(async () => {
    dir = await mkdtemp(join(tmpdir(), 'roost-managed-record-'))
  })
  afterEach(() => rm(dir, { recursive: true }))

  const reading = async (text: string) => {
    const path = join(dir, 'record.json')
    await writeFile(path, text)
    return readManagedRecord(path, Numbered)
  }

  it('is what was written', async () => {
    expect(await reading('{"generation":3}')).toEqual({ generation: 3 })
  })

  it('is undefined where there is none', async () => {
    expect(await readManagedRecord(join(dir, 'none.json'), Numbered)).toBeUndefined()
  })

  it.each(['', '{"generation":', '[]', '{"generation":"three"}'])(
    'that is damaged is named, with the remedy: %j',
    async (text) => {
      await expect(reading(text)).rejects.toThrow(
        `${join(dir, 'record.json')} is damaged. Restore it from a backup, or move it away`,
      )
    },
  )
})
