import { chown, mkdir, readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { DatabaseError, reasonOf } from '../client/errors.js'
import type { DiskState } from '../client/unavailable.js'
import { acquireOwnerLock, tryConnect } from './owner.js'
import { startPostmaster, stopPostmaster } from './postmaster.js'
import { prepareDataDir, serverAccount } from './server-account.js'
import { initialise, installServer, removeOtherServers } from './server-files.js'

/** How to run the embedded server. */
export interface EmbeddedOptions {
  readonly log: (message: string) => void
  /** Remembers that the server does not start for want of space. */
  readonly disk?: DiskState
  /** Further settings of the server, such as `fsync=off` for tests. */
  readonly settings?: readonly string[]
}

/** A running embedded server, which `stop` ends. */
export interface Embedded {
  /** Where to connect: a PostgreSQL whose host is a directory, by its socket. */
  readonly connection: { readonly host: string; readonly user: string; readonly database: string }
  /** True when a server that somebody left running was taken over. */
  readonly adopted: boolean
  stop(): Promise<void>
}

const settings = [
  'listen_addresses=',
  'unix_socket_permissions=0700',
  'io_method=sync',
  'shared_buffers=64MB',
  // After each checkpoint, every page that changes is written to the WAL as a whole.
  'wal_compression=on',
  'max_connections=60',
  'max_logical_replication_workers=0',
]
const startDeadlineMs = 60_000
const stopPatienceMs = 15_000
const longestSocketPath = 107
const socketName = '.s.PGSQL.5432'

/** How to reach the server of a data directory, while one runs there. */
export function embeddedConnection(dataDir: string): Embedded['connection'] {
  return { host: join(resolve(dataDir), 'run'), user: 'postgres', database: 'roost' }
}

/** The directory of the database cluster (`PGDATA`) in a data directory. */
export function clusterDir(dataDir: string): string {
  return join(resolve(dataDir), 'pgdata')
}

/**
 * Starts the PostgreSQL of a data directory, or adopts the one that runs there, and keeps it running until `stop`: a
 * server that dies is started again. Throws DatabaseError with a sentence that says what to do.
 */
export async function openEmbedded(directory: string, options: EmbeddedOptions): Promise<Embedded> {
  const dataDir = resolve(directory)
  const socketDir = join(dataDir, 'run')
  if (Buffer.byteLength(join(socketDir, socketName)) > longestSocketPath)
    throw new DatabaseError(
      'unusable',
      `The path of the data directory is too long for the socket of the database. Set ROOST_DATA_DIR to a path of at most ${longestSocketPath - join('/run', socketName).length} bytes.`,
    )
  const account = await serverAccount()
  await prepareDataDir(dataDir, account)
  const home = await installServer(dataDir, account, options.log)
  await mkdir(socketDir, { recursive: true, mode: 0o700 })
  if (account) await chown(socketDir, account.uid, account.gid)
  const cluster = clusterDir(dataDir)
  await initialise(home, cluster, account)
  const embedded = await supervise({
    cluster,
    socketDir,
    log: options.log,
    disk: options.disk,
    start: () =>
      startPostmaster({
        home,
        cluster,
        socketDir,
        account,
        logPath: join(dataDir, 'postgres.log'),
        settings: [...settings, ...(options.settings ?? [])],
      }),
    readLog: () => readFile(join(dataDir, 'postgres.log'), 'utf8').catch(() => ''),
  })
  // One that was adopted may run from an earlier release's files.
  if (!embedded.adopted) await removeOtherServers(dataDir, home, options.log)
  return embedded
}

interface Server {
  readonly cluster: string
  readonly socketDir: string
  readonly log: (message: string) => void
  readonly disk: DiskState | undefined
  start(): ReturnType<typeof startPostmaster>
  readLog(): Promise<string>
}

async function supervise(server: Server): Promise<Embedded> {
  const stopping = new AbortController()
  let recovery: Promise<void> = Promise.resolve()
  let owner: pg.Client
  const watch = (client: pg.Client) => {
    owner = client
    client.once('end', () => {
      if (!stopping.signal.aborted) recovery = recover()
    })
  }
  const recover = async () => {
    server.log('the embedded database stopped, starting it again')
    for (let waitMs = 100; !stopping.signal.aborted; waitMs = Math.min(waitMs * 2, 5_000)) {
      try {
        const { client } = await own(server)
        watch(client)
        server.log('the embedded database is running again')
        return
      } catch (error) {
        if (error instanceof DatabaseError && error.code === 'disk_full') server.disk?.fill()
        server.log(`could not start the embedded database, retrying: ${reasonOf(error)}`)
        await sleep(waitMs, undefined, { signal: stopping.signal }).catch(() => {})
      }
    }
  }
  const { client, adopted } = await own(server)
  watch(client)
  await client.query('create database roost').catch((error: { code?: string }) => {
    if (error.code !== '42P04') throw error
  })
  return {
    connection: { host: server.socketDir, user: 'postgres', database: 'roost' },
    adopted,
    async stop() {
      stopping.abort()
      await recovery
      await owner.end().catch(() => {})
      await stopPostmaster(server.cluster, stopPatienceMs)
    },
  }
}

/** Connects to the server, starts one where none answers, and takes the lock that makes us its owner. */
async function own(server: Server): Promise<{ readonly client: pg.Client; readonly adopted: boolean }> {
  const running = await connectPatiently(server.socketDir)
  const client = running ?? (await startAndConnect(server))
  await acquireOwnerLock(client)
  return { client, adopted: running !== undefined }
}

/** The server that runs there, which may still be starting; undefined where none answers. */
async function connectPatiently(socketDir: string): Promise<pg.Client | undefined> {
  for (const deadline = Date.now() + startDeadlineMs; Date.now() < deadline; await sleep(50)) {
    const client = await tryConnect(socketDir)
    if (client !== 'starting') return client
  }
  return undefined
}

async function startAndConnect(server: Server): Promise<pg.Client> {
  await stopPostmaster(server.cluster, 5_000) // one that lives and does not answer
  let why = 'it did not answer in time'
  // The children of a killed server may hold its memory for a moment, in which a new one refuses to start.
  for (const deadline = Date.now() + startDeadlineMs; Date.now() < deadline; await sleep(200)) {
    const postmaster = await server.start()
    while (postmaster.exit() === undefined && Date.now() < deadline) {
      const client = await tryConnect(server.socketDir)
      if (client && client !== 'starting') return client
      await sleep(30)
    }
    why = `${postmaster.exit() ?? why}: ${lastFailure(await server.readLog())}`
    if (!why.includes('still in use')) break
  }
  const code = why.includes('No space left on device') ? 'disk_full' : 'unusable'
  throw new DatabaseError(code, `PostgreSQL did not start (${why}).`)
}

/** Clients are refused while the server starts: that is no failure. */
const isFailure = (line: string) => /(FATAL|PANIC): {2}/.test(line) && !line.includes('the database system is')

/** Returns the line of the log in which the server says why it ended, or the last three. */
function lastFailure(log: string): string {
  const lines = log.trimEnd().split('\n')
  return lines.slice(-20).findLast(isFailure) ?? lines.slice(-3).join(' | ')
}
