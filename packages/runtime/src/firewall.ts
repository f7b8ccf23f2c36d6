/** What a reader of the machine's files answers. */
export interface FirewallFiles {
  /** Returns the text of a file; undefined when it does not exist. */
  readonly read: (path: string) => string | undefined
  /** Returns true if a process of this name runs. */
  readonly runs: (program: string) => boolean
}

/** A port on which clients come in. */
export interface ClientPort {
  readonly number: number
  /** The name under which firewalld and ufw know it, such as `samba`. */
  readonly service: string
  /** What is served there, for an operator. */
  readonly label: string
}

/** A port that the firewall of this machine closes, with the command that opens it. */
export interface ClosedPort extends ClientPort {
  readonly firewall: 'ufw' | 'firewalld'
  readonly remedy: string
}

/** Finds the TCP ports that ufw or firewalld close. Another firewall, and one between machines, is not seen here. */
export function closedPorts(files: FirewallFiles, ports: readonly ClientPort[]): readonly ClosedPort[] {
  if (/^ENABLED=yes/im.test(files.read('/etc/ufw/ufw.conf') ?? '')) return closedByUfw(files, ports)
  return files.runs('firewalld') ? closedByFirewalld(files, ports) : []
}

/** Rules for some addresses only count as open: an operator made them for a reason. */
function closedByUfw({ read }: FirewallFiles, ports: readonly ClientPort[]): readonly ClosedPort[] {
  if (/^DEFAULT_INPUT_POLICY="?ACCEPT/im.test(read('/etc/default/ufw') ?? '')) return []
  const rules = ['/etc/ufw/user.rules', '/etc/ufw/user6.rules'].map((path) => read(path) ?? '').join('\n')
  const open = rules.split('\n').flatMap((line) => {
    if (!/^-A ufw6?-user-input .*-j (?:ACCEPT|ufw6?-user-limit)/.test(line) || line.includes('-p udp')) return []
    const [, list = '1:65535'] = /--dports? (\S+)/.exec(line) ?? []
    return list.split(',').map(rangeOf)
  })
  const isOpen = (number: number) => open.some(([from, to]) => from <= number && number <= to)
  return ports
    .filter(({ number }) => !isOpen(number))
    .map((port) => ({ ...port, firewall: 'ufw', remedy: `ufw allow ${port.number}/tcp` }))
}

function rangeOf(text: string): readonly [from: number, to: number] {
  const [from = 0, to = from] = text.split(':').map(Number)
  return [from, to]
}

/** Reads the default zone, in which interfaces are that no other zone names. */
function closedByFirewalld({ read }: FirewallFiles, ports: readonly ClientPort[]): readonly ClosedPort[] {
  const [, zone = 'public'] = /^DefaultZone=(\S+)/m.exec(read('/etc/firewalld/firewalld.conf') ?? '') ?? []
  const text = ['/etc/firewalld/zones', '/usr/lib/firewalld/zones']
    .map((folder) => read(`${folder}/${zone}.xml`))
    .find(Boolean)
  if (text === undefined || /<zone[^>]*target="ACCEPT"/.test(text)) return []
  const services = new Set(Array.from(text.matchAll(/<service name="([^"]+)"/g), ([, name]) => name))
  const open = Array.from(text.matchAll(/<port [^>]*>/g), ([tag]) => tag)
    .filter((tag) => tag.includes('protocol="tcp"'))
    .map((tag) => rangeOf((/port="([\d-]+)"/.exec(tag)?.[1] ?? '').replace('-', ':')))
  const isOpen = ({ number, service }: ClientPort) =>
    services.has(service) || open.some(([from, to]) => from <= number && number <= to)
  const command = `firewall-cmd --permanent --zone=${zone} --add-port`
  return ports
    .filter((port) => !isOpen(port))
    .map((port) => ({
      ...port,
      firewall: 'firewalld',
      remedy: `${command}=${port.number}/tcp && firewall-cmd --reload`,
    }))
}
