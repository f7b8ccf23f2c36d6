import { accessSync, constants } from 'node:fs'
import type { Machine } from '../../machine/machine.js'
import type { Change } from '../../prepare/change.js'
import { newFile } from '../../prepare/file-change.js'

const kernelFile = '/proc/sys/net/ipv4/tcp_migrate_req'
const setting = /^\s*net[./]ipv4[./]tcp_migrate_req\s*=\s*1\s*$/m
const ownFile = '/etc/sysctl.d/60-roost-proxy.conf'
const folders = ['/etc/sysctl.d', '/run/sysctl.d', '/usr/local/lib/sysctl.d', '/usr/lib/sysctl.d']

export interface KernelPlan {
  readonly changes: readonly Change[]
  readonly remark: string | null
}

/** Lets a reload of the proxy reset no connection. The kernel has the setting since 5.14. */
export function planKernel(machine: Machine): KernelPlan {
  const value = machine.read(kernelFile)?.trim()
  if (value === undefined || (value === '1' && isSetByOthers(machine))) return { changes: [], remark: null }
  if (!isWritable(machine.path(kernelFile))) return { changes: [], remark: value === '1' ? null : onItsHost }
  const text = `# Written by \`roost-agent proxy prepare\`: a reload of the proxy resets no connection.\nnet.ipv4.tcp_migrate_req = 1\n`
  const sentence = 'Sets net.ipv4.tcp_migrate_req = 1 in the running kernel.'
  const atBoot = newFile(ownFile, text, 'sets net.ipv4.tcp_migrate_req = 1 at boot')
  const now: Change = { path: kernelFile, sentence, after: { kind: 'kernel', text: '1' } }
  return { changes: [...(isSetByOthers(machine) ? [] : [atBoot]), now], remark: null }
}

const onItsHost =
  'This machine cannot change settings of its kernel. Set net.ipv4.tcp_migrate_req = 1 on its host, or a reload of the proxy resets connections.'

/** Returns false in a container whose /proc/sys is read-only. */
function isWritable(file: string): boolean {
  try {
    accessSync(file, constants.W_OK)
    return true
  } catch {
    return false
  }
}

function isSetByOthers(machine: Machine): boolean {
  const files = folders.flatMap((folder) => machine.list(folder).map((name) => `${folder}/${name}`))
  return ['/etc/sysctl.conf', ...files].some((file) => file !== ownFile && setting.test(machine.read(file) ?? ''))
}
