import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { answered, recordFile } from './record.js'

let dir = ''
beforeEach(async () => {
  dir = join(await mkdtemp(join(tmpdir(), 'roost-record-')), 'deployments')
})
afterEach(() => rm(join(dir, '..'), { recursive: true }))

const nothing = { node: 'a', generation: 0, in_force: 0, desired: null, answer: null }
const users = [{ user: 'bob', password: 'correct-horse-battery-staple', is_superuser: false }]
const desired = { kind: 'user_db' as const, users }
const outcome = { outcome: 'applied' as const, in_force: 3, message: '', files: [{ path: '/etc/x', sha256: 'ab' }] }

it('reads an empty record before the first generation', async () => {
  expect(await recordFile(dir, 'user_db', 'a').read()).toEqual(nothing)
})

it('reads what was written; each kind has a file that only its owner can read', async () => {
  const record = { ...nothing, generation: 3, desired }
  await recordFile(dir, 'user_db', 'a').write(record)
  expect(await recordFile(dir, 'user_db', 'a').read()).toEqual(record)
  expect(await recordFile(dir, 'gateway', 'a').read()).toEqual(nothing)
  expect((await stat(join(dir, 'user_db.json'))).mode & 0o777).toBe(0o600)
  expect((await stat(dir)).mode & 0o777).toBe(0o700)
})

it('ignores the generations of another node', async () => {
  await recordFile(dir, 'user_db', 'b').write({ ...nothing, node: 'b', generation: 7 })
  expect(await recordFile(dir, 'user_db', 'a').read()).toEqual(nothing)
})

it('removes passwords once the generation has a result', async () => {
  const file = recordFile(dir, 'user_db', 'a')
  const record = { ...nothing, generation: 3, desired }
  await file.write(record)
  expect(await readFile(join(dir, 'user_db.json'), 'utf8')).toContain('battery')
  await file.write(answered(record, outcome))
  expect(await readFile(join(dir, 'user_db.json'), 'utf8')).not.toContain('battery')
  expect(await file.read()).toEqual({ ...nothing, generation: 3, in_force: 3, answer: outcome })
})

it('refuses a damaged record instead of starting with an empty one', async () => {
  const file = recordFile(dir, 'user_db', 'a')
  await file.write(nothing)
  await writeFile(join(dir, 'user_db.json'), '{"node": "a"')
  await expect(file.read()).rejects.toThrow('user_db.json is damaged. Restore it from a backup, or move it away')
})
