import { hostname } from 'node:os'
import type { Server as HttpsServer } from 'node:https'
import { buildApp } from './app.js'
import { closeAll } from '@roost/runtime'
import { isLoopback } from './config.js'
import { areLocal } from './config/proxies.js'
import type { Config } from './config.js'
import { buildContext } from './context/context.js'
import type { RunningServer } from './context/running-server.js'
import {
  keepDatabase,
  migrateDatabase,
  needsFirstStart,
  openServer,
  orStartError,
  serverVersion,
} from './database/database.js'
import { ensureFirstOperator } from './operators/first-operator.js'
import { createFirstStartStore } from './operators/first-operator-store.js'
import { requireSpaceForFirstStart } from './lifecycle/data-dir.js'
import { createRefusedStarts } from './self/refused-starts.js'
import { claimDataDir } from './lifecycle/instance.js'
import { listen, requirePort } from './lifecycle/listen.js'
import type { Log } from './lifecycle/log.js'
import { endsOf, publicKeyDigest } from './tls/certificates.js'
import { openTls } from './tls/tls.js'
import type { Tls } from './tls/tls.js'

/** Starts the control plane. If it throws StartError, nothing is left running. */
export async function startServer(
  config: Config,
  log: Log,
  stopping: AbortSignal = new AbortController().signal,
): Promise<RunningServer> {
  const closers: (() => Promise<void> | void)[] = []
  const close = () => closeAll(closers.splice(0).toReversed())
  try {
    return await start(config, log, { stopping, onClose: (end) => closers.push(end), close })
  } catch (error) {
    await close().catch((failure: unknown) => log.error({ err: failure }, 'could not shut down all parts'))
    throw error
  }
}

interface Ends {
  readonly stopping: AbortSignal
  readonly onClose: (end: () => Promise<void> | void) => void
  readonly close: () => Promise<void>
}

/** Others than this machine call only where it listens elsewhere. */
function reportLocalProxies({ proxies, listen }: Config, log: Log): void {
  if (proxies.length === 0 || !areLocal(proxies)) return
  const message = 'ROOST_BEHIND_PROXY names this machine only: X-Forwarded-For from other addresses is ignored'
  if (isLoopback(listen.host)) log.info(message)
  else log.warn(message)
}

async function start(config: Config, log: Log, { stopping, onClose, close }: Ends): Promise<RunningServer> {
  const { dataDir } = config
  reportLocalProxies(config, log)
  if (needsFirstStart(config)) await requireSpaceForFirstStart(dataDir)
  const instance = await claimDataDir(dataDir)
  onClose(() => instance.release())
  // Checked before a database is installed and migrated for nothing.
  await requirePort(config.listen)
  const databaseServer = await openServer(config, log)
  onClose(() => databaseServer.stop())
  const refusedStarts = createRefusedStarts(Date.now, log)
  const lock = await keepDatabase(databaseServer.connection, config, { log, stopping, refused: refusedStarts.record })
  onClose(() => lock.release())
  await migrateDatabase(databaseServer.connection, log)

  let tls: Tls | undefined
  let publicUrl = config.publicUrl
  const building = buildContext({
    config,
    database: { connection: databaseServer.connection, disk: databaseServer.disk, isOurs: lock.isLocked },
    log,
    now: () => Date.now(),
    publicUrl: () => publicUrl ?? '',
    trustedCas: () => tls?.current()?.trusted ?? [],
    refusedStarts,
    certificates: () => certificateEnds(tls),
    areCertificatesOwn: () => tls?.isOwn ?? false,
    caSha256: () => {
      const [issuer] = tls?.current()?.trusted ?? []
      return issuer === undefined ? null : publicKeyDigest(issuer)
    },
    certificate: () => tls?.current()?.cert ?? null,
    serverPin: () => {
      const identity = tls?.current() ?? null
      return identity === null ? null : Buffer.from(publicKeyDigest(identity.cert), 'hex').toString('base64')
    },
  })
  const context = await orStartError(building)
  onClose(() => context.dispose())
  tls = await openTls(config, { log, now: Date.now, everyNodeKnows: (since) => context.trust.everyNodeKnows(since) })
  onClose(() => tls.close())
  await ensureFirstOperator(createFirstStartStore(context.database), dataDir)

  const app = await buildApp({ context, tls })
  onClose(() => app.close())
  const port = await listen(app, config.listen)
  tls.onChange((identity) => (app.server as HttpsServer).setSecureContext(identity))
  const localUrl = urlOf(config, isWildcard(config.listen.host) ? 'localhost' : config.listen.host, port)
  publicUrl ??= urlOf(config, publicHost(config.listen.host), port)
  await instance.announce({ url: localUrl, publicUrl, listen: { host: config.listen.host, port } })
  const postgresVersion = await serverVersion(context.database)
  return { localUrl, publicUrl, caPath: tls.caPath, postgresVersion, context, databaseLost: lock.lost, close }
}

function certificateEnds(tls: Tls | undefined) {
  const identity = tls?.current() ?? null
  return identity === null ? [] : endsOf(identity.cert, identity.trusted)
}

function urlOf({ tls }: Config, host: string, port: number): string {
  return `${tls.mode === 'off' ? 'http' : 'https'}://${host.includes(':') ? `[${host}]` : host}:${port}`
}

function isWildcard(host: string): boolean {
  return host === '0.0.0.0' || host === '::'
}

function publicHost(host: string): string {
  if (isWildcard(host)) return hostname()
  return isLoopback(host) ? 'localhost' : host
}
