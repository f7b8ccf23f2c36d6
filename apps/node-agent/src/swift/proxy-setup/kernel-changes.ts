import type { Machine } from '../../machine/machine.js'
import type { Change } from '../../prepare/change.js'
import { newFile } from '../../prepare/file-change.js'

const kernelFile = '/proc/sys/net/ipv4/tcp_migrate_req'
const setting = /^\s*net[./]ipv4[./]tcp_migrate_req\s*=\s*1\s*$/m
const ownFile = '/etc/sysctl.d/60-roost-proxy.conf'
const folders = ['/etc/sysctl.d', '/run/sysctl.d', '/usr/local/lib/sysctl.d', '/usr/lib/sysctl.d']

/** Lets a reload of the proxy reset no connection. The kernel has the setting since 5.14. */
export function kernelChanges(machine: Machine): readonly Change[] {
  if (machine.stamp(kernelFile) === undefined) return []
  const text = `# Written by \`roost-agent proxy prepare\`: a reload of the proxy resets no connection.\nnet.ipv4.tcp_migrate_req = 1\n`
  const sentence = 'Sets net.ipv4.tcp_migrate_req = 1 in the running kernel.'
  return [
    ...(isSetByOthers(machine) ? [] : [newFile(ownFile, text, 'sets net.ipv4.tcp_migrate_req = 1 at boot')]),
    { path: kernelFile, sentence, after: { kind: 'kernel', text: '1' } },
  ]
}

function isSetByOthers(machine: Machine): boolean {
  const files = folders.flatMap((folder) => machine.list(folder).map((name) => `${folder}/${name}`))
  return ['/etc/sysctl.conf', ...files].some((file) => file !== ownFile && setting.test(machine.read(file) ?? ''))
}
