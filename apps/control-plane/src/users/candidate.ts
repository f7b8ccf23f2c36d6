import type { NewUser } from './store.js'

/** A user that others made, with what is stored of it when it is adopted. */
export interface Candidate {
  readonly login: string
  /** Null in tempauth. */
  readonly domain: string | null
  readonly account: string
  readonly isSuperuser: boolean
  /** The name that it gets in Roost; null: its login cannot be one. */
  readonly name: string | null
  /** A file, or a project. */
  readonly source: string
  /** Why it cannot be adopted. */
  readonly problem: string | null
  /** Why it cannot keep its password. */
  readonly passwordProblem: string | null
  /** Its line in tempauth, or its id in Keystone, as `removed_adoptions` has it. */
  readonly key: string
  /** Whether it may log in now. Throws `unavailable`. */
  readonly readEnabled: () => Promise<boolean>
  readonly columns: AdoptedColumns
}

type AdoptedColumns = Partial<
  Pick<NewUser, 'adoptedLine' | 'adoptedGroups' | 'adoptedAccount' | 'adoptedIdentityUser' | 'projectId' | 'login'>
>
