import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Applier } from '@roost/node-agent/dist/deployments/applier.js'
import { openMachine } from '@roost/node-agent/dist/machine/machine.js'
import { type RunCommand, runCommand } from '@roost/node-agent/dist/machine/run-command.js'
import { createOperatorMounts } from '@roost/node-agent/dist/mounts/operator-mounts.js'
import { createGatewayApplier } from '@roost/node-agent/dist/shares/gateway-applier.js'
import { gatewayState } from '@roost/node-agent/dist/shares/gateway-state.js'
import { leave, leavingOf } from '@roost/node-agent/dist/shares/leave.js'
import { setupsWith } from '@roost/node-agent/dist/shares/index.js'
import { preparationsFor, prepare } from '@roost/node-agent/dist/shares/prepare.js'
import { createShareAccounts } from '@roost/node-agent/dist/shares/share-accounts.js'
import { openServers } from '@roost/node-agent/dist/shares/share-servers.js'

/** A real Samba over the folders `/srv/roost/<id>`, in namespaces of its own, and the applier of shares. */
export interface RealSamba {
  readonly applier: Applier<'gateway'>
  /** What the applier ran, as one line each. */
  readonly commands: string[]
  /** A process that ends with Samba. */
  readonly spawn: (file: string, args: readonly string[]) => void
  /** Takes Roost off it; answers smb.conf as it is then, and as it was before. */
  readonly leave: () => Promise<readonly [after: string, before: string]>
  readonly stop: () => void
}

const setUp = `
for address in 127.0.2.3 127.0.2.4; do ip addr add $address/32 dev lo; done; ip link set lo up
cp -a /etc "$1/etc"; rm -f "$1"/etc/*.lock
for folder in /run /srv /var/log /var/lib/samba /var/cache/samba; do mount -t tmpfs -o mode=755 tmpfs $folder; done
mount --bind "$1/etc" /etc
rm -rf /etc/samba/roost.d
mkdir -p -m 1777 /run/lock; mkdir -p /run/samba /var/log/samba /var/lib/samba/private /srv/roost
`
const smbConf = '[global]\nmap to guest = Bad User\nload printers = no\ndisable spoolss = yes\n'

/** Only as `unshare -mn`: what it mounts over is this process's own. With a folder for each of so many shares. */
export async function startRealSamba(work: string, shares: number): Promise<RealSamba> {
  execFileSync('bash', ['-ec', setUp, 'bash', work], { stdio: 'inherit' })
  for (let id = 1; id <= shares; id++) {
    mkdirSync(`/srv/roost/${id}`)
    chmodSync(`/srv/roost/${id}`, 0o777)
  }
  writeFileSync('/etc/samba/smb.conf', smbConf)
  const machine = openMachine()
  await prepare(machine, runCommand, preparationsFor(machine, setupsWith(machine, null)))
  const commands: string[] = []
  const run: RunCommand = (file, args, options) => {
    commands.push([file, ...args].join(' '))
    return runCommand(file, args, options)
  }
  // Not as a child: the agent takes an smbd of its own for one that it asks for its version.
  execFileSync('smbd', ['--daemon'], { stdio: 'ignore' })
  const processes: ChildProcess[] = []
  await waitUntil(async () => (await runCommand('smbcontrol', ['smbd', 'ping'], { deadlineMs: 5_000 })).exitCode === 0)
  const gateway = {
    nfs: null,
    mounts: 'operator',
    mountDirectory: '/srv/roost',
    cacheDirectory: '/c',
    account: '',
  } as const
  const mounts = createOperatorMounts({ machine, run: runCommand, directory: '/srv/roost' })
  const locations = { pathOf: (share: { readonly id: number }) => mounts.pathOf(share), account: 'nobody' }
  mkdirSync(`${work}/state`)
  const servers = openServers({ machine, run, gateway, locations })
  return {
    commands,
    applier: createGatewayApplier({
      machine,
      mounts,
      servers,
      accounts: createShareAccounts(run),
      state: gatewayState(`${work}/state`, 'node'),
    }),
    spawn(file, args) {
      processes.push(spawn(file, args, { stdio: ['pipe', 'ignore', 'ignore'] }))
    },
    async leave() {
      await leave(machine, run, leavingOf(machine, servers.all))
      return [machine.read('/etc/samba/smb.conf') ?? '', smbConf]
    },
    stop() {
      for (const child of processes) child.kill()
      process.kill(Number(readFileSync('/run/samba/smbd.pid', 'utf8')))
    },
  }
}

export async function waitUntil(condition: () => Promise<boolean>): Promise<void> {
  const end = Date.now() + 180_000
  while (!(await condition())) {
    if (Date.now() > end) throw new Error('Timed out waiting for a condition.')
    await sleep(200)
  }
}
