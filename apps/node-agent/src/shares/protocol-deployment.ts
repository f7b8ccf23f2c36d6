import { mkdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import { fp } from '@roost/failpoints'
import { commitStagedFile, errorText, removeStagedFile } from '@roost/runtime'
import { readManagedFile, removeManagedFile, stageManagedFile, writeManagedFile } from '../machine/managed-file.js'
import type { Deployment } from './deployment.js'
import { type Before, sha256 } from './gateway-state.js'
import { hasAccounts, type Protocol } from './index.js'
import { namesOf, requireReady, sessionsOf } from './plan.js'
import type { LiveSession, ShareServer } from './servers/share-server.js'
import type { ServerChange } from './server-change.js'

const fileMode = 0o644
/** A server that has just read its file may need a moment to serve it. */
const settleAttempts = 5
const settleMs = 400

/** One protocol's part of a deployment, all of which is done or nothing. */
export class ProtocolDeployment {
  readonly protocol: Protocol
  /** Why it does not go on. */
  fault: string | undefined
  /** There is something to serve by it, or was. */
  isInvolved = false
  /** The servers may have loaded something of this deployment. */
  isTouched = false
  readonly #deployment: Deployment
  readonly #servers: readonly ShareServer[]
  #serverChanges: readonly ServerChange[] = []

  constructor(deployment: Deployment, protocol: Protocol) {
    this.#deployment = deployment
    this.protocol = protocol
    this.#servers = deployment.gateway.servers.all.filter((server) => server.protocol === protocol)
    // After a kill it is unknown which servers were reloaded.
    this.isTouched = Object.keys(this.#own(deployment.journal)).length > 0
  }

  /** Does a step, unless one before it has failed. */
  async attempt(step: () => Promise<void>): Promise<void> {
    if (this.fault !== undefined) return
    try {
      await step()
    } catch (error) {
      this.fail(error)
    }
  }

  fail(error: unknown): void {
    this.fault ??= errorText(error)
  }

  async prepare(): Promise<void> {
    const { gateway, desired, missing, generation } = this.#deployment
    const served = desired.shares.filter(({ id }) => !missing.some(({ share }) => share === id))
    this.isInvolved = true
    this.#serverChanges = await gateway.servers.serverChanges(this.protocol, served, generation)
    this.isInvolved = this.#serverChanges.length > 0
    await requireReady(gateway.machine, this.#serverChanges)
  }

  async stage(): Promise<void> {
    const { machine } = this.#deployment.gateway
    for (const { server, text } of this.#changing()) {
      const path = machine.path(server.file)
      await mkdir(dirname(path), { recursive: true })
      await stageManagedFile(path, text, fileMode)
    }
  }

  async check(): Promise<void> {
    fp('agent.apply.afterStage')
    for (const { server, text } of this.#changing()) await server.check(text)
  }

  /** Moves the files to their paths and reloads the servers. With `completes`, the generation is in force afterwards. */
  async activate(completes: boolean): Promise<void> {
    fp('agent.apply.afterValidate')
    const { machine } = this.#deployment.gateway
    const reloaded = await this.#toReload()
    this.isTouched = true
    const before = await this.#remember()
    for (const { server } of this.#changing()) await commitStagedFile(machine.path(server.file))
    fp('agent.apply.afterRename')
    for (const { server } of reloaded) await server.reload()
    fp('agent.apply.afterReload')
    // Sessions are read only now: clients that connect from here on have the access of the new files.
    for (const session of await this.#lostSessions(before)) await session.end()
    for (const serverChange of reloaded) await requireServed(serverChange)
    await this.#commit(completes)
  }

  /** Puts the files back, reloads the servers, and adds the errors of that to the fault. */
  async rollBack(): Promise<void> {
    const { machine } = this.#deployment.gateway
    const before = this.#own(this.#deployment.journal)
    const faults: string[] = []
    for (const server of this.#servers) {
      const text = before[server.file]
      try {
        await removeStagedFile(machine.path(server.file))
        if (text === undefined) continue
        await putBack(machine.path(server.file), text)
        if (server.isRunning()) await server.reload()
      } catch (error) {
        faults.push(errorText(error))
      }
    }
    if (faults.length === 0) await this.#forget().catch((error: unknown) => faults.push(errorText(error)))
    this.fault = `${this.fault ?? ''}${onTheWayBack(faults)}`
  }

  /** Returns the folders of its shares, of those that are served and of the desired ones. */
  async folders(): Promise<readonly string[]> {
    const { gateway, desired, inForce } = this.#deployment
    const wanted = desired.shares.filter(({ protocol }) => protocol === this.protocol)
    const folders = wanted.map((share) => gateway.mounts.pathOf(share))
    for (const server of this.#servers) {
      const present = (await readManagedFile(gateway.machine.path(server.file)))?.toString()
      const last = inForce.files[server.file] === undefined ? undefined : await gateway.state.readFile(server.file)
      folders.push(...[present, last].flatMap((text) => (text === undefined ? [] : server.foldersOf(text))))
    }
    return folders
  }

  files(): readonly { readonly path: string; readonly sha256: string }[] {
    return this.#serverChanges.map(({ server, text }) => ({ path: server.file, sha256: sha256(text) }))
  }

  #changing(): readonly ServerChange[] {
    return this.#serverChanges.filter(({ changes }) => changes)
  }

  /** Returns the entries of a record by file that belong to this protocol's servers. */
  #own<T>(record: Readonly<Record<string, T>>): Readonly<Record<string, T>> {
    return Object.fromEntries(Object.entries(record).filter(([file]) => this.#isOurs(file)))
  }

  #others<T>(record: Readonly<Record<string, T>>): Readonly<Record<string, T>> {
    return Object.fromEntries(Object.entries(record).filter(([file]) => !this.#isOurs(file)))
  }

  #isOurs(path: string): boolean {
    return this.#servers.some(({ file }) => file === path)
  }

  /** Returns the servers to reload: their file is new, or they do not serve what it says. */
  async #toReload(): Promise<readonly ServerChange[]> {
    const isResumed = this.isTouched
    const changes: ServerChange[] = []
    for (const serverChange of this.#serverChanges) {
      if (!serverChange.server.isRunning()) continue
      if (serverChange.changes || isResumed || (await serverChange.server.faults(serverChange.text)).length > 0)
        changes.push(serverChange)
    }
    return changes
  }

  /** Writes down the files as they were; what a kill has left of that goes first. */
  async #remember(): Promise<Before> {
    const deployment = this.#deployment
    const now = this.#changing().map(({ server, present }) => [server.file, present ?? null] as const)
    const before = { ...Object.fromEntries(now), ...this.#own(deployment.journal) }
    await this.#keepJournal({ ...deployment.journal, ...before })
    return before
  }

  #forget(): Promise<void> {
    return this.#keepJournal(this.#others(this.#deployment.journal))
  }

  async #keepJournal(journal: Before): Promise<void> {
    const deployment = this.#deployment
    if (Object.keys(journal).length + Object.keys(deployment.journal).length === 0) return
    await deployment.gateway.state.writeJournal(deployment.generation, journal)
    deployment.journal = journal
  }

  async #lostSessions(before: Before): Promise<readonly LiveSession[]> {
    const { gateway, desired, inForce } = this.#deployment
    // Sessions that end with their folder are ended together with the mount.
    const losses = { nameOf: namesOf(gateway, inForce, desired), gone: new Set<string>() }
    const lost: LiveSession[] = []
    for (const serverChange of this.#serverChanges) {
      const present = before[serverChange.server.file] ?? serverChange.present
      lost.push(
        ...(await sessionsOf(
          { ...serverChange, present },
          await gateway.state.readFile(serverChange.server.file),
          losses,
        )),
      )
    }
    return lost
  }

  async #commit(completes: boolean): Promise<void> {
    const deployment = this.#deployment
    const { gateway, desired, generation, inForce } = deployment
    const { shares } = desired
    const accounts = hasAccounts(this.protocol)
      ? await gateway.accounts.apply(shares, inForce.accounts)
      : inForce.accounts
    const names = Object.fromEntries(shares.map((share) => [gateway.mounts.pathOf(share), share.name]))
    const texts = new Map(this.#serverChanges.map(({ server, text }) => [server.file, text]))
    const each = <T>(value: (text: string) => T) =>
      Object.fromEntries([...texts].map(([file, text]) => [file, value(text)]))
    const next = {
      ...inForce,
      generation: completes ? generation : inForce.generation,
      files: { ...this.#others(inForce.files), ...each(sha256) },
      since: { ...this.#others(inForce.since), ...each(() => generation) },
      names: completes ? names : { ...inForce.names, ...names },
      accounts,
    }
    await gateway.state.writeInForce(next, texts)
    deployment.inForce = next
    await this.#forget()
  }
}

async function requireServed({ server, text }: ServerChange): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    const faults = await server.faults(text)
    if (faults.length === 0) return
    if (attempt === settleAttempts)
      throw new Error(`${server.daemon} does not serve the deployed shares: ${faults.slice(0, 3).join(' ')}`)
    await new Promise((resolve) => setTimeout(resolve, settleMs))
  }
}

async function putBack(path: string, text: string | null): Promise<void> {
  if (text === null) return removeManagedFile(path)
  if ((await readManagedFile(path))?.toString() !== text) await writeManagedFile(path, text, fileMode)
}

export function onTheWayBack(faults: readonly string[]): string {
  return faults.length === 0 ? '' : ` Errors during the rollback: ${faults.join(' ')}`
}
