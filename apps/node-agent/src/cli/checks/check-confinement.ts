import { type ClientPort, closedPorts, type Finding } from '@roost/runtime'
import { findGatewaySoftware } from '../../machine/gateway-software.js'
import type { Machine } from '../../machine/machine.js'
import { readPrograms } from '../../machine/running-programs.js'
import { unlessDenied } from '../../machine/try-read.js'

export interface ConfinementOptions {
  readonly machine: Machine
  /** The machine whose `/proc` and `/sys` count. */
  readonly kernel: Machine
  readonly mountDirectory: string
}

/** Checks whether the system's own protection keeps clients of shares out: SELinux, AppArmor and the firewall. */
export function checkConfinement(options: ConfinementOptions): readonly Finding[] {
  return [...checkSelinux(options), ...checkApparmor(options), ...checkFirewall(options)]
}

/** Returns the servers of shares that are installed here. */
function installed(machine: Machine) {
  const samba = findGatewaySoftware(machine, 'samba') !== undefined
  const ganesha = findGatewaySoftware(machine, 'nfs_ganesha') !== undefined
  const nfs = ganesha || findGatewaySoftware(machine, 'nfs_kernel_server') !== undefined
  return { samba, ganesha, nfs }
}

const booleans = '/sys/fs/selinux/booleans'

/** A mount of rclone is of FUSE, which SELinux denies to servers of files by default. */
function checkSelinux({ machine, kernel }: ConfinementOptions): readonly Finding[] {
  const check = 'SELinux'
  if (unlessDenied(() => kernel.read('/sys/fs/selinux/enforce'))?.trim() !== '1') return []
  const { samba, ganesha } = installed(machine)
  const needed = [...(samba ? ['samba_share_fusefs'] : []), ...(ganesha ? ['ganesha_use_fusefs'] : [])]
  const off = needed.filter((name) => unlessDenied(() => kernel.read(`${booleans}/${name}`))?.startsWith('0') === true)
  if (off.length === 0) return [{ check, verdict: 'ok', message: 'lets the servers of shares read mounts' }]
  const message = `denies the mounts of shares to their servers: run \`setsebool -P ${off.map((name) => `${name}=1`).join(' ')}\`.`
  return [{ check, verdict: 'fail', message }]
}

/** The profiles of distributions allow the files of shares that a script finds in smb.conf, which has none of ours. */
function checkApparmor({ machine, kernel, mountDirectory }: ConfinementOptions): readonly Finding[] {
  const check = 'AppArmor'
  const profiles = unlessDenied(() => kernel.read('/sys/kernel/security/apparmor/profiles')) ?? ''
  const enforced = profiles.split('\n').flatMap((line) => /^(\S+) \(enforce\)$/.exec(line)?.[1] ?? [])
  const own = (name: string) => machine.read(`/etc/apparmor.d/local/${name}`) ?? ''
  const closed = ['smbd', 'fusermount3'].filter((program) => {
    const name = enforced.find((profile) => profile === program || profile.endsWith(`/${program}`))
    if (name === undefined) return false
    const files = [name.replace(/^\//, '').replaceAll('/', '.'), `usr.sbin.${program}`, program]
    return !files.some((file) => own(file).includes(mountDirectory))
  })
  if (closed.length === 0)
    return profiles === '' ? [] : [{ check, verdict: 'ok', message: 'confines no server of shares' }]
  const message = `confines ${closed.join(' and ')}: allow ${mountDirectory}/** in the local file of the profile in /etc/apparmor.d/local, and run \`systemctl reload apparmor\`.`
  return [{ check, verdict: 'warn', message }]
}

function checkFirewall({ machine, kernel }: ConfinementOptions): readonly Finding[] {
  const check = 'firewall'
  const { samba, nfs } = installed(machine)
  const ports: readonly ClientPort[] = [
    ...(samba ? [{ number: 445, service: 'samba', label: 'SMB' }] : []),
    ...(nfs ? [{ number: 2049, service: 'nfs', label: 'NFS' }] : []),
  ]
  const programs = readPrograms(kernel)
  const read = (path: string) => unlessDenied(() => machine.read(path))
  const closed = closedPorts({ read, runs: (program) => programs.has(program) }, ports)
  return closed.map(({ firewall, number, label, remedy }) => {
    const message = `${firewall} closes port ${number} to clients of ${label}: run \`${remedy}\`.`
    return { check, verdict: 'warn', message }
  })
}
