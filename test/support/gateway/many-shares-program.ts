import type { DesiredShare } from '@roost/api-types/agent'
import { cifsShare } from '@roost/testing/shares'
import { type RealSamba, startRealSamba } from './real-samba.js'

/** The result of one edit among many shares on a real Samba. */
export interface OneEdit {
  readonly outcome: string
  /** The plan's files, and what it would send to the servers. */
  readonly diffs: readonly string[]
  readonly daemons: readonly { readonly daemon: string; readonly action: string }[]
  /** The commands that the deployment sent to Samba. */
  readonly reloads: readonly string[]
  /** The time of the complete deployment of the edit, Samba's own programs included. */
  readonly milliseconds: number
  readonly drift: readonly unknown[]
}

// Run as `unshare -mn`, with a folder and a number of shares: prints it as JSON.
const [, program = '', work = '', shares = ''] = process.argv
if (program.endsWith('many-shares-program.js')) {
  const samba = await startRealSamba(work, Number(shares))
  try {
    process.stdout.write(JSON.stringify(await editOne(samba, Number(shares))))
  } finally {
    samba.stop()
  }
}

async function editOne({ applier, commands }: RealSamba, count: number): Promise<OneEdit> {
  const shares = Array.from({ length: count }, (_, i) => cifsShare(i + 1))
  const stateOf = (all: readonly DesiredShare[]) => ({ kind: 'gateway' as const, storage: null, shares: [...all] })
  const first = await applier.apply(stateOf(shares), 1, () => {})
  if (first.outcome !== 'applied') throw new Error(first.message)
  const middle = Math.ceil(count / 2)
  const edited = stateOf(shares.map((share) => (share.id === middle ? { ...share, cifs_browseable: false } : share)))
  const plan = await applier.plan(edited)
  commands.length = 0
  const start = performance.now()
  const { outcome } = await applier.apply(edited, 2, () => {})
  const milliseconds = performance.now() - start
  return {
    outcome,
    diffs: plan.files.map(({ diff }) => diff),
    daemons: plan.daemons.map(({ daemon, action }) => ({ daemon, action })),
    reloads: commands.filter((line) => line.startsWith('smbcontrol')),
    milliseconds,
    drift: await applier.drift(),
  }
}
