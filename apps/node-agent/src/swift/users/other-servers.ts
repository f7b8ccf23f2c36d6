import type { Machine } from '../../machine/machine.js'
import { unlessDenied } from '../../machine/try-read.js'

/** A web server that runs Swift's proxy in place of `swift-proxy-server`. */
export type OtherServer = 'uWSGI' | 'Apache'

const apacheFolders = ['/etc/apache2/sites-enabled', '/etc/apache2/conf-enabled', '/etc/httpd/conf.d']

/** Finds a proxy that runs as an application of uWSGI or Apache; null without one. */
export function findOtherServer(machine: Machine, kernel: Machine): OtherServer | null {
  return findOtherProcesses(machine, kernel)?.server ?? null
}

interface OtherProcesses {
  readonly server: OtherServer
  readonly pids: readonly string[]
}

/** Finds the processes of such a proxy. */
export function findOtherProcesses(machine: Machine, kernel: Machine): OtherProcesses | null {
  const programs = kernel
    .list('/proc')
    .filter((entry) => /^\d+$/.test(entry))
    .map((pid) => ({ pid, name: unlessDenied(() => kernel.read(`/proc/${pid}/comm`))?.trim() ?? '' }))
  const pidsOf = (found: typeof programs) => found.map(({ pid }) => pid)
  const uwsgi = programs.filter(({ pid, name }) => name.startsWith('uwsgi') && isProxy(argumentsOf(kernel, pid)))
  if (uwsgi.length > 0) return { server: 'uWSGI', pids: pidsOf(uwsgi) }
  const apache = programs.filter(({ name }) => name === 'apache2' || name === 'httpd')
  const servesProxy = apache.length > 0 && apacheFolders.some((folder) => hasProxySite(machine, folder))
  return servesProxy ? { server: 'Apache', pids: pidsOf(apache) } : null
}

/** Says what cannot be done with a proxy that runs there. */
export function otherServerReason(server: OtherServer): string {
  return `The proxy of this node runs under ${server}, which the agent cannot reload, so that users are not deployed to it. Run it as swift-proxy-server, see docs/proxies.md.`
}

function argumentsOf(kernel: Machine, pid: string): string {
  return unlessDenied(() => kernel.read(`/proc/${pid}/cmdline`)) ?? ''
}

/** The names of Swift's own application, and of the files of Debian for it. */
function isProxy(text: string): boolean {
  return /swift[\w./-]*proxy|proxy-server/.test(text)
}

function hasProxySite(machine: Machine, folder: string): boolean {
  const texts = (unlessDenied(() => machine.list(folder)) ?? []).map(
    (name) => unlessDenied(() => machine.read(`${folder}/${name}`)) ?? '',
  )
  return texts.some((text) => text.split('\n').some((line) => /^\s*WSGIScriptAlias\s/i.test(line) && isProxy(line)))
}
