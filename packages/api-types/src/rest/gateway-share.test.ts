import { describe, expect, it } from 'vitest'
import { settingDefaults } from '../values/share-settings.js'
import { GatewayShareInput, shareChangeSchema } from './gateway-share.js'
import type { ShareProtocol } from './gateway-share.js'

const required = { name: 'docs', node: '/api/v1/nodes/1/', objectstore_container: 'docs' }

const parse = (present: ShareProtocol, change: object) => shareChangeSchema(present, change).safeParse(change)

describe('a new share', () => {
  it('is an NFS share with its defaults unless the client says more', () => {
    expect(GatewayShareInput.parse(required)).toEqual({
      ...required,
      node: 1,
      protocol: 'nfs',
      access_mode: 'rw',
      enabled: false,
      upload_delay: 0,
      write_retain: true,
      no_apple_doubles: true,
      clients_allowed_list: '',
      cache_size_mb: null,
      root_squash: false,
      secure: false,
    })
  })

  it("takes its protocol's defaults", () => {
    expect(GatewayShareInput.parse({ ...required, protocol: 'cifs' })).toMatchObject(settingDefaults('cifs'))
  })

  it('ignores the settings of the other protocol, whatever they hold', () => {
    const nfs = GatewayShareInput.parse({ ...required, cifs_create_mask: 'rwxr-xr-x', password: 1 })
    expect(nfs).not.toHaveProperty('cifs_create_mask')
    expect(nfs).not.toHaveProperty('password')
    const cifs = GatewayShareInput.parse({ ...required, protocol: 'cifs', root_squash: 'maybe' })
    expect(cifs).not.toHaveProperty('root_squash')
  })

  it('names every faulty field at once, of both kinds', () => {
    const result = GatewayShareInput.safeParse({ protocol: 'cifs', name: 'global', cifs_create_mask: '0o664' })
    expect(result.error?.issues.map((issue) => issue.path.join('.')).toSorted()).toEqual([
      'cifs_create_mask',
      'name',
      'node',
      'objectstore_container',
    ])
  })

  it('refuses a protocol that there is not', () => {
    const result = GatewayShareInput.safeParse({ ...required, protocol: 'afp', name: '' })
    expect(result.error?.issues.map((issue) => issue.path.join('.')).toSorted()).toEqual(['name', 'protocol'])
  })
})

describe('a change of a share', () => {
  it("is read under the share's protocol, or the one that it brings", () => {
    const change = { root_squash: 'maybe', cifs_create_mask: '0600', name: 'x' }
    expect(parse('cifs', change).data).toEqual({ cifs_create_mask: '0600', name: 'x' })
    expect(parse('nfs', { ...change, protocol: 'cifs' }).data).toEqual({
      cifs_create_mask: '0600',
      name: 'x',
      protocol: 'cifs',
    })
    expect(parse('nfs', change).error?.issues.map((issue) => issue.path)).toEqual([['root_squash']])
  })

  it('holds only what was sent', () => {
    expect(parse('cifs', {}).data).toEqual({})
  })

  it('may take the password away', () => {
    expect(parse('cifs', { password: null }).data).toEqual({ password: null })
    expect(parse('nfs', { password: 3 }).data).toEqual({})
  })

  it('refuses a protocol that there is not', () => {
    expect(parse('nfs', { protocol: 'smb' }).error?.issues.map((issue) => issue.path)).toEqual([['protocol']])
  })
})
