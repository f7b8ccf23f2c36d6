import { appendFile, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { TestApi } from '../http/api.js'
import { repository } from '../http/control-plane.js'
import type { ProcessResult } from '../programs/processes.js'
import type { Swift } from '../swift/cluster.js'
import type { MachineProcess } from '../swift/machine.js'
import { ganeshaCacheOfFirstRelease, gatewayFiles } from './configuration.js'
import { unpackAgent } from '../database/earlier-release.js'
import { enrollmentArguments } from '../agents/enrollment.js'

const view = 'gateway'
const currentProgram = join(repository, 'apps/node-agent/bin/roost-agent.js')

/** Two addresses under which clients reach the servers; a client has the one that it connects to. */
export const addresses = ['127.0.2.3', '127.0.2.4'] as const

type NfsServer = 'ganesha' | 'kernel'

/** A gateway in the machine of a real Swift: its own `/etc`, `/run`, `/srv` and processes, real servers, the real agent. */
export interface Gateway {
  /** A folder that is the same inside and outside. */
  readonly dir: string
  /** Runs a shell script where the gateway's files are at their usual paths; rejects when it fails. */
  exec(script: string): Promise<string>
  run(file: string, args: readonly string[]): Promise<ProcessResult>
  spawn(file: string, args: readonly string[]): MachineProcess
  /** Runs a command of the agent's program to its end. */
  command(args: readonly string[]): Promise<ProcessResult>
  /** Enrolls the agent with the test's control plane; returns the node's URI. */
  enroll(api: TestApi, cluster: number): Promise<string>
  /** Starts the agent, which ends at the failpoint. */
  startAgent(failpoint?: string): void
  /** Resolves when the agent has ended by itself. */
  agentEnded(): Promise<void>
  /** What the agent wrote since it was started last. */
  output(): string
  stopAgent(signal?: NodeJS.Signals): Promise<void>
  /** From now on the agent's program is that of this repository. */
  upgradeAgent(): void
  /** Ends the NFS server that runs, and starts this one; the agent knows it from its next start. */
  serveNfsBy(server: NfsServer): Promise<void>
}

/** The folders that are separate in the view of the gateway. */
const ownFolders = ['/run', '/srv', '/var/log', '/var/lib/samba', '/var/cache/samba', '/var/lib/nfs']

export interface GatewayOptions {
  /** Of the agent, until `upgradeAgent`. Default: this one. */
  readonly release?: '0.1.0' | 'this'
}

export async function startGateway(swift: Swift, { release = 'this' }: GatewayOptions = {}): Promise<Gateway> {
  const { machine } = swift
  const dir = join(machine.dir, view)
  await mkdir(dir)
  await machine.exec(`for address in ${addresses.join(' ')}; do ip addr add $address/32 dev lo; done
    cp -a /etc gateway/etc && rm -rf gateway/etc/*.lock gateway/etc/samba/* gateway/etc/ganesha/* gateway/etc/exports.d`)
  for (const [path, text] of gatewayFiles) {
    await mkdir(join(dir, path, '..'), { recursive: true })
    await writeFile(join(dir, path), text)
  }
  if (release === '0.1.0') await appendFile(join(dir, 'etc/ganesha/ganesha.conf'), ganeshaCacheOfFirstRelease)
  const agentProgram = release === '0.1.0' ? await unpackAgent(join(machine.dir, 'agent-0.1.0')) : currentProgram
  const folders = ['/var/lib/nfs/ganesha', '/run/samba', '/run/dbus', '/var/log/ganesha', '/var/log/samba']
  await machine.addView(
    view,
    `for folder in ${ownFolders.join(' ')}; do mount -t tmpfs -o mode=755 tmpfs $folder; done
     mount --bind ${dir}/etc /etc
     mkdir -p -m 1777 /run/lock
     mkdir -p ${folders.join(' ')} /var/lib/samba/private /var/lib/nfs/sm`,
  )
  await mkdir(join(dir, 'agent'), { mode: 0o700 })
  await configure(join(dir, 'agent'), 'ganesha')
  const gateway = gatewayIn(swift, dir, agentProgram)
  const prepared = await gateway.command(['gateway', 'prepare', '--yes'])
  if (prepared.code !== 0) throw new Error(`The gateway could not be prepared: ${prepared.stderr}`)
  await startSamba(gateway)
  gateway.spawn('dbus-daemon', ['--system', '--nofork', '--nopidfile'])
  // nfs-ganesha asks for it once, as it starts.
  await succeeding(gateway, onBus('org.freedesktop.DBus', '/', 'org.freedesktop.DBus.ListNames'))
  gateway.spawn('rpcbind', ['-f', '-w'])
  await listening(gateway, 111)
  await gateway.serveNfsBy('ganesha')
  return gateway
}

async function configure(dataDir: string, nfs: NfsServer): Promise<void> {
  const settings = { roles: { runs_gateway: true }, devices: [], gateway: { nfs } }
  await writeFile(join(dataDir, 'config.json'), JSON.stringify(settings))
}

async function startSamba(gateway: Gateway): Promise<void> {
  await gateway.exec(`useradd -M -s /usr/sbin/nologin alice
    printf 'alicepass\\nalicepass\\n' | smbpasswd -s -a alice`)
  gateway.spawn('smbd', ['--foreground', '--no-process-group', '--debug-stdout', '-d', '1'])
  await listening(gateway, 445)
}

/** The kernel's own server cannot run in a test: what reads its exports for it does. */
const nfsServers = {
  ganesha: {
    argv: ['ganesha.nfsd', '-F', '-L', '/var/log/ganesha/ganesha.log', '-p', '/run/ganesha.pid'],
    port: 2049,
    ready: onBus('org.ganesha.nfsd', '/org/ganesha/nfsd/ExportMgr', 'org.ganesha.nfsd.exportmgr.ShowExports'),
  },
  kernel: { argv: ['rpc.mountd', '-F', '-p', '20048'], port: 20_048, ready: 'true' },
} as const

/** Returns a command that fails until the service answers. */
function onBus(name: string, object: string, method: string): string {
  return `dbus-send --system --print-reply --dest=${name} ${object} ${method}`
}

function gatewayIn(swift: Swift, dir: string, firstProgram: string): Gateway {
  const { machine } = swift
  let agentProgram = firstProgram
  const dataDir = join(dir, 'agent')
  const spawn: Gateway['spawn'] = (file, args) => machine.spawn(file, args, { view })
  const run: Gateway['run'] = (file, args) => machine.run(file, args, { view })
  const exec: Gateway['exec'] = (script) => machine.exec(script, view)
  const command: Gateway['command'] = (args) => run(process.execPath, [agentProgram, '--data-dir', dataDir, ...args])
  let agent: MachineProcess | undefined
  let nfs: MachineProcess | undefined
  return {
    dir,
    exec,
    run,
    spawn,
    command,
    async enroll(api, cluster) {
      await swift.publish(Number(new URL(api.url).port))
      const enroll = await enrollmentArguments(api, cluster)
      const { code, stderr } = await command(enroll)
      if (code !== 0) throw new Error(`The agent could not enroll: ${stderr}`)
      const { id } = await api.database.prisma.node.findFirstOrThrow({ where: { clusterId: cluster } })
      return `/api/v1/nodes/${id}/`
    },
    startAgent(failpoint) {
      const run = [agentProgram, '--data-dir', dataDir, 'run']
      agent =
        failpoint === undefined
          ? spawn(process.execPath, run)
          : spawn('env', [`FP=${failpoint}`, process.execPath, '--conditions=failpoints', ...run])
    },
    async agentEnded() {
      await agent?.ended
    },
    output: () => agent?.output() ?? '',
    async stopAgent(signal) {
      await agent?.stop(signal)
    },
    upgradeAgent() {
      agentProgram = currentProgram
    },
    async serveNfsBy(server) {
      const { argv, port, ready } = nfsServers[server]
      await nfs?.stop('SIGKILL')
      nfs = spawn(argv[0], argv.slice(1))
      await listening(this, port)
      await succeeding(this, ready)
      await configure(dataDir, server)
    },
  }
}

const startMs = 180_000

function listening(gateway: Gateway, port: number): Promise<void> {
  return succeeding(gateway, `[ -n "$(ss -Hlnt 'sport = :${port}')" ]`)
}

/** Runs the command until it succeeds. */
async function succeeding(gateway: Gateway, command: string): Promise<void> {
  for (const deadline = Date.now() + startMs; Date.now() < deadline; await sleep(100))
    if ((await gateway.run('sh', ['-c', command])).code === 0) return
  throw new Error(`This command does not succeed on the gateway: ${command}`)
}
