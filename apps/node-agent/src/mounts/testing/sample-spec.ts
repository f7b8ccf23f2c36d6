import type { MountSpec } from '../desired/mount-spec.js'

/** Returns a mount of share 7, except for what the test sets. */
export function sampleSpec(more: Partial<MountSpec> = {}): MountSpec {
  return {
    share: 7,
    container: 'box',
    remote: 'swift',
    login: '',
    writeBackSeconds: 5,
    retain: true,
    filePerms: '0666',
    dirPerms: '0777',
    cacheMegabytes: null,
    hasCa: false,
    ...more,
  }
}
