import { type DesiredShare, settingDefaults, type StorageLogin } from '@roost/api-types/agent'
import { describe, expect, it } from 'vitest'
import { changesOf, fingerprint, hasFingerprint, keyOf, MountSpec, mountSpecs, remoteName } from './mount-spec.js'
import { planOf } from './mount-plan.js'
import { isSameStart, parseStartedWith } from '../started/started-with.js'
import { drainArguments, mountArguments } from '../started/rclone-arguments.js'

const storage: StorageLogin = { auth_url: 'http://swift.example:8080/auth/v1.0', user: 'test:tester', key: 'testing' }
const common = {
  ...settingDefaults('every'),
  name: 'docs',
  objectstore_container: 'documents',
  upload_delay: 3,
  export_number: 1,
}
const nfs = (id: number, more: object = {}): DesiredShare => ({
  ...common,
  id,
  protocol: 'nfs',
  ...settingDefaults('nfs'),
  ...more,
})
const cifs = (id: number, more: object = {}): DesiredShare => ({
  ...common,
  id,
  protocol: 'cifs',
  ...settingDefaults('cifs'),
  cifs_directory_mask: '2775',
  password: null,
  ...more,
})
const specs = (shares: readonly DesiredShare[], login = storage) =>
  mountSpecs({ kind: 'gateway', shares: [...shares], storage: login })
const one = (share: DesiredShare, login = storage) => {
  const [spec] = specs([share], login)
  if (spec === undefined) throw new Error('A share has a mount.')
  return spec
}
const files = { config: '/c', ca: '/ca.pem', cache: '/cache/1', htpasswd: '/h' }
const argumentsOf = (share: DesiredShare) =>
  mountArguments(one(share), '/srv/1', { name: 'nobody', uid: 65_534, gid: 65_534 }, files).join(' ')

describe('the mount of a share', () => {
  it('follows upload_delay and write_retain', () => {
    expect(argumentsOf(nfs(1, { upload_delay: 90 }))).toMatch(
      /--vfs-write-back 90s --vfs-cache-poll-interval 5s --vfs-cache-mode full --vfs-cache-max-age 8760h$/,
    )
    expect(argumentsOf(nfs(1, { write_retain: false }))).toMatch(
      /--vfs-write-back 5s --vfs-cache-poll-interval 5s --vfs-cache-mode writes --vfs-cache-max-age 1s$/,
    )
  })

  it('never uploads sooner than 5 s after the last close', () => {
    for (const upload_delay of [0, 1, 4, 5]) expect(argumentsOf(nfs(1, { upload_delay }))).toContain('write-back 5s ')
    expect(argumentsOf(nfs(1, { upload_delay: 6 }))).toContain('write-back 6s ')
  })

  it('gives up requests that Swift does not answer', () => {
    expect(argumentsOf(nfs(1))).toContain('--contimeout 5s --timeout 1m --low-level-retries 1')
  })

  it('logs microseconds, and is outdated where an earlier version of the agent started it without them', () => {
    expect(argumentsOf(nfs(1))).toContain('--log-level NOTICE --log-format date,time,microseconds')
    const before = argumentsOf(nfs(1)).replace(' --log-format date,time,microseconds', '')
    const spec = fingerprint(one(nfs(1)))
    const start = (line: string) => ({ spec, arguments: ['rclone', ...line.split(' ')] })
    expect(isSameStart(start(before), start(argumentsOf(nfs(1))))).toBe(false)
    expect(isSameStart(start(argumentsOf(nfs(1))), start(argumentsOf(nfs(1))))).toBe(true)
  })

  it('has the permissions of the masks on CIFS, without the bits that change who runs a file', () => {
    expect(argumentsOf(cifs(1))).toContain('--umask 0 --file-perms 0664 --dir-perms 0775')
    expect(argumentsOf(nfs(1))).toContain('--umask 0 --file-perms 0666 --dir-perms 0777')
  })

  it('belongs to the account by which servers write, and the kernel holds to its permissions', () => {
    expect(argumentsOf(nfs(1))).toContain('--allow-other --default-permissions --uid 65534 --gid 65534')
  })

  it('has no secret on its command line', () => {
    expect(argumentsOf(nfs(1))).not.toContain(storage.key)
    expect(drainArguments(one(nfs(1)), '/d', files).join(' ')).not.toContain(storage.key)
  })

  it('uploads at once what a mount that has ended left', () => {
    expect(drainArguments(one(nfs(1, { upload_delay: 86_400 })), '/d', files)).toContain('0s')
  })

  it('needs the login of the cluster, and no share needs none', () => {
    const without = (shares: DesiredShare[]) => mountSpecs({ kind: 'gateway', shares, storage: null })
    expect(() => without([nfs(1)])).toThrow('roost cluster set-storage')
    expect(without([])).toEqual([])
  })
})

describe('the record of a mount that 0.1.0 started', () => {
  it('is of the same specification, whatever delay that rendered', () => {
    for (const upload_delay of [0, 1, 5, 9]) {
      const spec = one(nfs(1, { upload_delay }))
      const before = { ...spec, writeBackSeconds: upload_delay }
      expect(MountSpec.parse(before)).toEqual(spec)
      expect(hasFingerprint(spec, fingerprint(before))).toBe(true)
    }
    const long = one(nfs(1, { upload_delay: 9 }))
    expect(hasFingerprint(long, fingerprint(one(nfs(1))))).toBe(false)
    expect(hasFingerprint(one(nfs(1)), fingerprint(one(nfs(1, { objectstore_container: 'other' }))))).toBe(false)
  })

  it('does not say what arguments it has', () => {
    const spec = fingerprint(one(nfs(1)))
    expect(parseStartedWith(spec)).toEqual({ spec, arguments: null })
    expect(isSameStart({ spec, arguments: null }, { spec, arguments: ['rclone'] })).toBe(false)
    expect(parseStartedWith(JSON.stringify({ spec, arguments: ['rclone'] }))).toEqual({ spec, arguments: ['rclone'] })
    for (const text of ['', 'x', '{', '{"spec":1}', '[]']) expect(parseStartedWith(text)).toBeUndefined()
  })
})

describe('what changes for mounts', () => {
  const plan = (before: readonly DesiredShare[], after: readonly DesiredShare[], login = storage) => {
    const { notes: _, ...rest } = planOf(changesOf(specs(before), specs(after, login)), ({ share }) => `/${share}`)
    return rest
  }
  const nothing = { started: [], stopped: [], replaced: [] }

  it('is nothing for settings that the servers alone hold to', () => {
    const changed = nfs(1, {
      cache_size_mb: 16,
      name: 'other',
      access_mode: 'ro',
      clients_allowed_list: '10.0.0.1',
      root_squash: true,
    })
    expect(plan([nfs(1)], [changed])).toEqual(nothing)
  })

  it('is nothing for a delay that is rendered as the one before', () => {
    expect(plan([nfs(1, { upload_delay: 1 })], [nfs(1, { upload_delay: 5 })])).toEqual(nothing)
  })

  it('is a start for a new share and an end for one that is gone', () => {
    expect(plan([nfs(1)], [nfs(2)])).toEqual({ started: ['/2'], stopped: ['/1'], replaced: [] })
  })

  it('is a new mount for another container, delay, mask or login', () => {
    const remounted = { started: ['/1'], stopped: ['/1'], replaced: [1] }
    expect(plan([nfs(1)], [nfs(1, { objectstore_container: 'other' })])).toEqual(remounted)
    expect(plan([nfs(1)], [nfs(1, { upload_delay: 6 })])).toEqual(remounted)
    expect(plan([cifs(1)], [cifs(1, { cifs_create_mask: '0600' })])).toEqual(remounted)
    expect(plan([nfs(1)], [nfs(1)], { ...storage, key: 'another' })).toEqual(remounted)
  })

  it('leaves uploads where a new key, delay or mask finds them, and another container does not', () => {
    const key = keyOf(one(nfs(1)))
    expect(keyOf(one(nfs(1, { upload_delay: 9 }), { ...storage, key: 'another' }))).toBe(key)
    expect(keyOf(one(nfs(1, { objectstore_container: 'other' })))).not.toBe(key)
    expect(keyOf(one(nfs(1), { ...storage, user: 'other:tester' }))).not.toBe(key)
    expect(keyOf(one(nfs(2)))).not.toBe(key)
  })
})

describe('the account of a login', () => {
  const keystone: StorageLogin = {
    ...storage,
    auth_url: 'https://keystone.example:5000/v3',
    auth_version: 3,
    user_domain: 'Default',
    project: 'docs',
    project_domain: 'Default',
    interface: 'public',
  }
  const { project: _, project_domain: __, user_domain: ___, ...rest } = keystone
  const credential = { ...rest, user: '', application_credential_id: '1f2e' }

  it('has the name that 0.1.0 gave it', () => {
    expect(remoteName(storage)).toBe('swift-2d80d0bc01f4')
    expect(fingerprint(one(nfs(1)))).toBe('1959cf76e77874f0d6c57f665673905c7fc6a741d456550c37300b57699a64f8')
  })

  it('is the project of Keystone, for every user of it', () => {
    const name = remoteName(keystone)
    const same: readonly Partial<StorageLogin>[] = [
      { user: 'other' },
      { key: 'other' },
      { interface: 'internal' },
      { ca: 'PEM' },
    ]
    for (const more of same) expect(remoteName({ ...keystone, ...more })).toBe(name)
    expect(remoteName({ ...credential, project: 'docs', project_domain: 'Default' })).toBe(name)
    for (const more of [{ project: 'other' }, { project_domain: 'other' }, { region: 'other' }, { auth_url: 'other' }])
      expect(remoteName({ ...keystone, ...more })).not.toBe(name)
  })

  it('is the application credential where its project is not given', () => {
    const names = [credential, { ...credential, application_credential_id: '3d4c' }, keystone].map(remoteName)
    expect(new Set(names).size).toBe(3)
  })

  it('has new mounts for another field or CA', () => {
    for (const more of [{ interface: 'internal' }, { ca: 'PEM' }, { user_domain: 'other' }] as const)
      expect(fingerprint(one(nfs(1), { ...keystone, ...more }))).not.toBe(fingerprint(one(nfs(1), keystone)))
  })

  it('is reached by rclone with the CA of the login alone', () => {
    const argv = (login: StorageLogin) =>
      mountArguments(one(nfs(1), login), '/srv/1', { name: 'nobody', uid: 65_534, gid: 65_534 }, files).join(' ')
    expect(argv({ ...keystone, ca: 'PEM' })).toContain('--config /c --ca-cert /ca.pem --cache-dir')
    expect(argv(keystone)).not.toContain('--ca-cert')
  })
})
