import { createPublicKey, verify } from 'node:crypto'
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { openMachine } from './machine.js'
import { ensureKey, keepIdentity, readIdentity, readMachineIds, retireIdentity } from './identity.js'

const enrollment = { server: 'https://roost.example:8443', node_id: 3, node_uuid: 'u', cluster: 'lab' }

let dir: string

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'roost-identity-'))
})

afterEach(async () => {
  await rm(dir, { recursive: true, force: true })
})

it('keeps one key from the first attempt at an enrollment to the identity that comes of it', async () => {
  const key = await ensureKey(dir)
  expect((await ensureKey(dir)).publicKey).toBe(key.publicKey)
  expect(await readIdentity(dir)).toBeUndefined()
  await keepIdentity(dir, enrollment)
  expect(await readIdentity(dir)).toMatchObject({ publicKey: key.publicKey, enrollment })
  expect(await readdir(dir)).toEqual(['identity.json'])
})

it('signs with the key whose raw public half it shows', async () => {
  const own = await ensureKey(dir)
  const der = Buffer.concat([Buffer.from('302a300506032b6570032100', 'hex'), Buffer.from(own.publicKey, 'base64')])
  const key = createPublicKey({ key: der, format: 'der', type: 'spki' })
  expect(verify(null, Buffer.from('text'), key, Buffer.from(own.sign('text'), 'base64'))).toBe(true)
})

it('shows its files to the owner alone', async () => {
  const state = join(dir, 'made')
  await ensureKey(state)
  await keepIdentity(state, enrollment)
  expect((await stat(state)).mode & 0o777).toBe(0o700)
  expect((await stat(join(state, 'identity.json'))).mode & 0o777).toBe(0o600)
})

it('puts the identity of a removed node aside, so that the next key is another', async () => {
  const { publicKey } = await ensureKey(dir)
  await keepIdentity(dir, enrollment)
  await retireIdentity(dir)
  expect(await readIdentity(dir)).toBeUndefined()
  expect((await ensureKey(dir)).publicKey).not.toBe(publicKey)
})

it('says what to do about a damaged file, and leaves it alone', async () => {
  await writeFile(join(dir, 'identity.json'), '{"private_key": "x"')
  await expect(readIdentity(dir)).rejects.toThrow(/identity\.json is damaged.*--take-place/)
  expect(await readFile(join(dir, 'identity.json'), 'utf8')).toBe('{"private_key": "x"')
})

it('tells machine and start apart by the files under the root, and stands in for a machine without an id', async () => {
  const key = await ensureKey(dir)
  const root = join(dir, 'root')
  await mkdir(join(root, 'etc'), { recursive: true })
  await mkdir(join(root, 'proc/sys/kernel/random'), { recursive: true })
  await writeFile(join(root, 'proc/sys/kernel/random/boot_id'), 'b00t\n')
  await writeFile(join(root, 'etc/hostname'), 'node-1\n')
  const nameless = { machineId: key.installationId, bootId: 'b00t', hostname: 'node-1' }
  expect(readMachineIds(openMachine(root), key)).toEqual(nameless)
  await writeFile(join(root, 'etc/machine-id'), 'uninitialized\n')
  expect(readMachineIds(openMachine(root), key)).toEqual(nameless)
  await writeFile(join(root, 'etc/machine-id'), '0123456789abcdef0123456789abcdef\n')
  expect(readMachineIds(openMachine(root), key).machineId).toBe('0123456789abcdef0123456789abcdef')
})
