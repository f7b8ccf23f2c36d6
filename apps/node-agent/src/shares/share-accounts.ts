import { createHmac, randomBytes } from 'node:crypto'
import type { DesiredShare } from '@roost/api-types/agent'
import { describeFailure, type RunCommand } from '../machine/run-command.js'
import { accountOf } from './servers/validate-share.js'

/** Accounts that are ours, by name, with what tells the password of each from another. */
export type Accounts = Readonly<Record<string, string>>

export interface AccountPlan {
  readonly set: readonly string[]
  readonly removed: readonly string[]
}

export interface ShareAccounts {
  plan(shares: readonly DesiredShare[], present: Accounts): AccountPlan
  /** Makes the accounts and sets their passwords; those of no share go last, and only if they are ours. */
  apply(shares: readonly DesiredShare[], present: Accounts): Promise<Accounts>
}

const deadlineMs = 20_000

/**
 * Manages the account `share-<id>` of each share with a password: in Samba's database, and on the machine, without which Samba
 * takes none. No login to the machine is possible with it. A password is handed over by the standard input alone.
 */
export function createShareAccounts(run: RunCommand): ShareAccounts {
  return {
    plan(shares, present) {
      const wanted = passwordsOf(shares)
      return {
        set: [...wanted].filter(([name, password]) => !isSame(present[name], password)).map(([name]) => name),
        removed: Object.keys(present).filter((name) => !wanted.has(name)),
      }
    },
    async apply(shares, present) {
      const wanted = passwordsOf(shares)
      const { set, removed } = this.plan(shares, present)
      const accounts: Record<string, string> = { ...present }
      for (const name of set) {
        const password = wanted.get(name) ?? ''
        await make(name, password)
        accounts[name] = markOf(password)
      }
      for (const name of removed) {
        await remove(name)
        delete accounts[name]
      }
      return accounts
    },
  }

  async function make(name: string, password: string): Promise<void> {
    const known = await run('getent', ['passwd', name], { deadlineMs })
    if (known.exitCode !== 0)
      await must('useradd', [...'--system --no-create-home --no-user-group --shell /usr/sbin/nologin'.split(' '), name])
    await must('smbpasswd', ['-s', '-a', name], `${password}\n${password}\n`)
  }

  /** Removes an account; one that an operator has removed already is no fault. */
  async function remove(name: string): Promise<void> {
    await run('pdbedit', ['-x', '-u', name], { deadlineMs })
    await run('userdel', [name], { deadlineMs })
  }

  async function must(file: string, args: readonly string[], input?: string): Promise<void> {
    const result = await run(file, args, { deadlineMs, ...(input === undefined ? {} : { input }) })
    if (result.exitCode !== 0) throw new Error(`${file} ${args.join(' ')}: ${describeFailure(result)}.`)
  }
}

function passwordsOf(shares: readonly DesiredShare[]): ReadonlyMap<string, string> {
  return new Map(
    shares.flatMap((share) =>
      'password' in share && share.password !== null ? [[accountOf(share.id), share.password]] : [],
    ),
  )
}

/** Returns a salt and a digest for a file of root's; Samba's own database has as much. */
function markOf(password: string, salt = randomBytes(16).toString('hex')): string {
  return `${salt}:${createHmac('sha256', salt).update(password).digest('hex')}`
}

function isSame(mark: string | undefined, password: string): boolean {
  return mark !== undefined && markOf(password, mark.split(':', 1)[0]) === mark
}
