import type { AdoptableShare, DesiredShare, LostSession } from '@roost/api-types/agent'

/** What an operator reads of a share's clients, by the path of its folder. */
export type NameOf = (path: string) => string

/** A client that a server serves now, and what ends its session. */
export interface LiveSession extends LostSession {
  /** Ends it, and no session of another share. */
  readonly end: () => Promise<void>
}

export interface LossOptions {
  readonly nameOf: NameOf
  /** Folders that go away for a moment, and every session on them. */
  readonly gone: ReadonlySet<string>
}

/** What a file that was changed by hand says of the shares; undefined where it says what no field can. */
export type Adoption = readonly AdoptableShare[] | undefined

/**
 * A server of shares on this machine, in terms of our file. `text` is always such a file, whole; none of the texts is
 * another's business than its server's. What is refused or fails rejects with a sentence for an operator.
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
  /** Rejects where the server does not read our file, or has by hand what would collide with it. */
  requireRoom(text: string): Promise<void>
  /** The server's own reading of a text that is not in place; rejects where it is another than ours. */
  check(text: string): Promise<void>
  /** The server takes notice of the file in place. Rejects when it refuses it or does not answer. */
  reload(): Promise<void>
  /** What it serves against what the file in place means: a sentence for each difference. */
  faults(text: string): Promise<readonly string[]>
  /** Sessions that a change from one text to another has to end, or that end with a folder. */
  sessionsLost(before: string, after: string, options: LossOptions): Promise<readonly LiveSession[]>
  /** Lets go of the folders, without a word in the file, and takes them back. */
  release(text: string, paths: ReadonlySet<string>): Promise<void>
  restore(text: string, paths: ReadonlySet<string>): Promise<void>
  /** Throws for a text that the server may read otherwise than we do. */
  adopt(text: string, inForce: string): Adoption
  /** The folders that a text shares; none of one that cannot be read. */
  foldersOf(text: string): readonly string[]
  /** What an operator should know before a deployment of this text. */
  notes(text: string): readonly string[]
}
