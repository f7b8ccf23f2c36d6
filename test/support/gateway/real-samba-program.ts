import { runCommand } from '@roost/node-agent/dist/machine/run-command.js'
import { cifsShare } from '@roost/testing/shares'
import { type RealSamba, startRealSamba, waitUntil } from './real-samba.js'

/**
 * Run by a test as `unshare -mn`: a real Samba over folders, its real clients, and the applier of shares. Prints what the
 * plan of narrowing a share says, and which sessions there were before and after.
 */
const [, , work = ''] = process.argv
const samba = await startRealSamba(work, 2)
try {
  process.stdout.write(JSON.stringify(await narrow(samba)))
} finally {
  samba.stop()
}

async function narrow({ applier, spawn, leave }: RealSamba) {
  const stateOf = (clients: string, password: string | null) => {
    const shares = [cifsShare(1, { clients_allowed_list: clients }), cifsShare(2, { password })]
    return { kind: 'gateway' as const, storage: null, shares }
  }
  const first = await applier.apply(stateOf('127.0.2.0/24', null), 1, () => {})
  const logins = [
    ['127.0.2.3', 'share1'],
    ['127.0.2.4', 'share1'],
    ['127.0.2.4', 'share2'],
  ] as const
  for (const [address, share] of logins) spawn('smbclient', [`//${address}/${share}`, '-N'])
  await waitUntil(async () => (await connections()).length === logins.length)
  const narrowed = stateOf('127.0.2.3', null)
  const plan = await applier.plan(narrowed)
  const second = await applier.apply(narrowed, 2, () => {})
  await waitUntil(async () => (await connections()).length < logins.length)
  const remaining = await connections()
  const third = await applier.apply(stateOf('127.0.2.3', 'Share-Passw0rd'), 3, () => {})
  const smb = (...args: readonly string[]) =>
    runCommand('smbclient', ['//127.0.2.3/share2', '-t', '90', ...args], { deadlineMs: 100_000 })
  const login = await smb('-U', 'share-2%Share-Passw0rd', '-c', 'mkdir made')
  const refused = await smb('-N', '-c', 'ls')
  const drift = await applier.drift()
  const [after, before] = await leave()
  await waitUntil(async () => (await connections()).length === 0)
  const gone = await smb('-N', '-c', 'ls')
  return {
    outcomes: [first, second, third],
    plan,
    remaining,
    login: login.stdout,
    refused: refused.stdout,
    drift,
    left: { isAsBefore: after === before, answer: gone.stdout },
  }
}

async function connections(): Promise<readonly string[]> {
  const { stdout } = await runCommand('smbstatus', ['--json'], { deadlineMs: 100_000 })
  const { tcons } = JSON.parse(stdout) as { tcons: Record<string, { service: string; machine: string }> }
  return Object.values(tcons)
    .filter(({ service }) => service.startsWith('share'))
    .map(({ service, machine: address }) => `${service} ${address}`)
    .toSorted()
}
