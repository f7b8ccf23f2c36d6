import { type DesiredShare, settingDefaults } from '@roost/api-types/agent'

type Nfs = Extract<DesiredShare, { protocol: 'nfs' }>
type Cifs = Extract<DesiredShare, { protocol: 'cifs' }>

function common(id: number) {
  const identity = { id, name: `share${id}`, objectstore_container: 'photos', export_number: id }
  return { ...identity, ...settingDefaults('every') }
}

/** Returns a share with the defaults of the API, except for what the test sets. */
export function nfsShare(id: number, settings: Partial<Nfs> = {}): Nfs {
  return { ...common(id), protocol: 'nfs', ...settingDefaults('nfs'), ...settings }
}

/** Returns a share with the defaults of the API, except for what the test sets. */
export function cifsShare(id: number, settings: Partial<Cifs> = {}): Cifs {
  return { ...common(id), protocol: 'cifs', ...settingDefaults('cifs'), password: null, ...settings }
}
