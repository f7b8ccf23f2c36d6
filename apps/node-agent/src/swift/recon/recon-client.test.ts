import { expect, it } from 'vitest'
import { readSwiftVersion } from './recon-client.js'

it('the version of Swift is that of a storage server', async () => {
  const asked: string[] = []
  const version = await readSwiftVersion(async (path) => {
    asked.push(path)
    return { version: '2.30.1' }
  })
  expect([version, asked]).toEqual(['2.30.1', ['version']])
})

it.each([undefined, null, 3, 'Invalid path', {}, { version: 3 }])(
  'no version is known where a server answers %j',
  async (answer) => {
    expect(await readSwiftVersion(async () => answer)).toBeNull()
  },
)
