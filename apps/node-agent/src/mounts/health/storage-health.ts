import type { InventoryProblem, StorageLogin } from '@roost/api-types/agent'
import { storageUnreachable } from '@roost/api-types/checks'
import { type Clock, Periodic } from '@roost/runtime'
import { loginName } from '../rclone/login-name.js'
import type { StorageCheck } from './storage-check.js'

export interface StorageHealthOptions {
  readonly check: StorageCheck
  /** Returns the logins in use, by the name of their remote. */
  readonly logins: () => Readonly<Record<string, StorageLogin>>
  readonly onProblems: (problems: readonly InventoryProblem[]) => void
  readonly onError: (error: unknown) => void
  readonly clock: Clock
}

export interface StorageHealth {
  /** Returns since when Swift has answered to this login without a break, on the monotonic clock; undefined while it does not. */
  answeringSince(remote: string): number | undefined
  stop(): Promise<void>
}

interface State {
  readonly answeringSince: number | undefined
  readonly failure: { readonly since: number; readonly checks: number; readonly reason: string } | undefined
}

const checkEveryMs = 10_000
/** Failed checks in a row that are a problem: a proxy that reloads may miss one. */
const failedChecks = 2

/** Checks regularly whether Swift answers to each login that mounts use. */
export function startStorageHealth(options: StorageHealthOptions): StorageHealth {
  const { check, logins, onProblems, onError, clock } = options
  let states: ReadonlyMap<string, State> = new Map()
  const round = new Periodic({
    clock,
    intervalMs: () => checkEveryMs,
    async work() {
      const used = Object.entries(logins())
      const results = await Promise.all(
        used.map(async ([remote, login]) => {
          const state = nextState(states.get(remote), await check(login), clock)
          return { remote, login, state }
        }),
      )
      states = new Map(results.map(({ remote, state }) => [remote, state]))
      onProblems(results.flatMap(({ login, state }) => problemOf(login, state)))
    },
    onError,
  })
  return {
    answeringSince: (remote) => states.get(remote)?.answeringSince,
    stop: () => round.stop(),
  }
}

function nextState(before: State | undefined, reason: string | undefined, clock: Clock): State {
  if (reason === undefined) return { answeringSince: before?.answeringSince ?? clock.monotonic(), failure: undefined }
  const { since = clock.now(), checks = 0 } = before?.failure ?? {}
  return { answeringSince: undefined, failure: { since, checks: checks + 1, reason } }
}

function problemOf(login: StorageLogin, { failure }: State): readonly InventoryProblem[] {
  if (failure === undefined || failure.checks < failedChecks) return []
  const { since, reason } = failure
  return storageUnreachable.find({ authUrl: login.auth_url, user: loginName(login), since: new Date(since), reason })
}
