import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { rootCertificates } from 'node:tls'
import { describe, expect, it } from 'vitest'
import { useRoostCli } from '../support/programs/roost-cli.js'

const server = await useRoostCli()
const { cli } = server

describe('roost cluster set-storage', () => {
  it('takes the login of a cluster’s storage, whose key comes by a file, and shows it without', async () => {
    expect(await cli('cluster', 'storage', 'default')).toMatchObject({ code: 3, stdout: '' })
    const file = join(server.roost.dataDir, 'storage.key')
    await writeFile(file, 'S3CR3T-of-storage\n')
    const login = ['--auth-url', 'http://swift.example:8080/auth/v1.0', '--user', 'test:tester']
    const answer = await cli('cluster', 'set-storage', 'default', ...login, '--key-file', file)
    expect(answer).toMatchObject({ code: 0, stdout: expect.stringContaining('from their next deployment') })
    expect((await cli('cluster', 'storage', 'default')).stdout).toMatch(
      /^CLUSTER +AUTH_URL +USER +PROJECT +REGION +INTERFACE\n\S+ +http:\/\/swift.example:8080\/auth\/v1.0 +test:tester +- +- +-\n$/,
    )
    expect(await cli('cluster', 'set-storage', 'default', ...login, '--key-file', '/nowhere')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('/nowhere'),
    })
    expect(await cli('cluster', 'unset-storage', 'default')).toMatchObject({
      code: 0,
      stdout: 'storage login of cluster default removed; gateways drop it with their next deployment\n',
    })
    expect(await cli('cluster', 'unset-storage', 'default', '--force')).toMatchObject({ code: 3, stdout: '' })
  })

  it('takes a login of Keystone, by a user or an application credential, and refuses one of three fields', async () => {
    const [file, caFile] = [join(server.roost.dataDir, 'keystone.key'), join(server.roost.dataDir, 'keystone-ca.pem')]
    await writeFile(file, 'S3CR3T-of-keystone\n')
    await writeFile(caFile, rootCertificates[0] ?? '')
    const set = (...flags: readonly string[]) =>
      cli(
        'cluster',
        'set-storage',
        'default',
        '--auth-url',
        'https://keystone.example:5000/v3',
        '--key-file',
        file,
        ...flags,
      )
    expect(await set('--user', 'shares')).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/user_domain: .*such as Default.* project: .*application credential/s),
    })
    const user = ['--user', 'shares', '--user-domain', 'Default', '--project', 'docs', '--interface', 'internal']
    expect(await set(...user, '--region', 'RegionOne', '--ca-file', caFile)).toMatchObject({ code: 0 })
    expect((await cli('cluster', 'storage', 'default')).stdout).toMatch(/shares +docs +RegionOne +internal\n$/)
    expect(await set('--application-credential-id', '1f2e')).toMatchObject({ code: 0 })
    expect((await cli('cluster', 'storage', 'default')).stdout).toMatch(/application credential 1f2e +- +- +public\n$/)
    expect((await set(...user, '--ca-file', '/nowhere')).stderr).toContain('Cannot read the CA file /nowhere')
    expect((await cli('cluster', 'unset-storage', 'default')).code).toBe(0)
  })
})
