import type { AdoptableShare, DesiredShare, LostSession } from '@roost/api-types/agent'

/** Describes a share for operators, by the path of its folder. */
export type NameOf = (path: string) => string

/** A client that a server serves now, and what ends its session. */
export interface LiveSession extends LostSession {
  /** Ends this session, and no session of another share. */
  readonly end: () => Promise<void>
}

export interface LossOptions {
  readonly nameOf: NameOf
  /** Folders that go away for a moment, and every session on them. */
  readonly gone: ReadonlySet<string>
}

/** The fields of shares in a file that was changed by hand; undefined where no field can express it. */
export type Adoption = readonly AdoptableShare[] | undefined

/**
 * A server of shares on this machine. `text` is always the complete text of its file. Methods reject with a sentence for an
 * operator.
 */
export interface ShareServer {
  readonly protocol: DesiredShare['protocol']
  readonly daemon: string
  /** The one file that is ours. */
  readonly file: string
  /** A client keeps what it was permitted when it connected, until its session is closed. */
  readonly keepsPermissions: boolean
  /** When Roost leaves the machine, an empty file and a reload end its shares. Samba reads the machine's configuration instead. */
  readonly endsWithEmptyFile: boolean
  isRunning(): boolean
  /** Rejects where the server does not read our file, or where the operator's configuration conflicts with it. */
  requireNoConflict(text: string): Promise<void>
  /** Checks a text that is not deployed with the server's own reader. Rejects where that reads something else. */
  check(text: string): Promise<void>
  /** Makes the server load the deployed file. Rejects when it refuses it or does not answer. */
  reload(): Promise<void>
  /** Compares what it serves with the deployed file: a sentence for each difference. */
  faults(text: string): Promise<readonly string[]>
  /** Returns the sessions that end by a change from one text to another, or with a folder. */
  sessionsLost(before: string, after: string, options: LossOptions): Promise<readonly LiveSession[]>
  /** Releases the folders without a change of the file; `restore` serves them again. */
  release(text: string, paths: ReadonlySet<string>): Promise<void>
  restore(text: string, paths: ReadonlySet<string>): Promise<void>
  /** Reads the fields of a text that was changed by hand. Throws where the server may read it differently than we do. */
  adopt(text: string, inForce: string): Adoption
  /** Returns the folders that a text shares; none where it cannot be read. */
  foldersOf(text: string): readonly string[]
  /** Returns what an operator should know before a deployment of this text. */
  notes(text: string): readonly string[]
}
