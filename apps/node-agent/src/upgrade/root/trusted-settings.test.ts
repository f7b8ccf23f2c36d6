import { chown, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { trustedSettings } from './trusted-settings.js'

it.skipIf(process.getuid?.() !== 0)('an older version is only allowed by a file of root', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'roost-upgrade-'))
  const configFile = join(dir, 'config.json')
  await writeFile(configFile, '{}')
  const read = (oldest: string) => trustedSettings({ upgrades: { isAllowed: true, oldest }, configFile }, '1.0.0')
  expect(await read('0.9.0')).toEqual({ isAllowed: true, oldest: '0.9.0' })
  await chown(configFile, 65_534, 65_534)
  expect(await read('0.9.0')).toEqual({ isAllowed: true, oldest: null })
  expect(await read('2.0.0')).toEqual({ isAllowed: true, oldest: '2.0.0' })
  await rm(dir, { recursive: true })
})
