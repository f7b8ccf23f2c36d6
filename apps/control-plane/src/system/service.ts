import { X509Certificate } from 'node:crypto'
import type { SystemInfo } from '@roost/api-types/rest'
import type { SystemService } from '@roost/api-types/rpc'
import type { StreamMetrics } from '../agents/stream.js'
import type { LastBackup } from '../backup/last-backup.js'
import type { HistoryFeature } from '../history/feature.js'
import type { SystemStore } from './store.js'

export interface SystemOptions {
  readonly store: SystemStore
  readonly version: string
  /** Unix milliseconds. */
  readonly startedAt: number
  readonly isEmbedded: boolean
  readonly databaseVersion: () => Promise<string>
  /** Whether the disk of the database is full. */
  readonly isDiskFull: () => boolean
  readonly history: Pick<HistoryFeature, 'isOn' | 'metrics'>
  /** The last reading of the disk of the data directory. */
  readonly disk: () => { readonly availableBytes: number; readonly totalBytes: number } | undefined
  /** PEM of the server's certificate; null where TLS is off. */
  readonly certificate: () => string | null
  /** PEM of our own authority; null where another one has issued the certificate. */
  readonly authority: () => string | null
  readonly keyFileFault: () => Promise<string | undefined>
  readonly sessions: () => Pick<StreamMetrics, 'connected' | 'parked' | 'handshakes'>
  readonly lastBackup: () => Promise<LastBackup | undefined>
}

/** What an operator wants to know of the control plane itself. */
export function createSystemService(options: SystemOptions): SystemService {
  const { store, version, startedAt, isEmbedded, databaseVersion, isDiskFull, keyFileFault, sessions, lastBackup } =
    options
  return {
    async get() {
      const [size, versions, postgres, fault, backup] = await Promise.all([
        store.sizeOfDatabase(),
        store.countVersions(),
        databaseVersion(),
        keyFileFault(),
        lastBackup(),
      ])
      const { connected, parked, handshakes: connecting } = sessions()
      return {
        version,
        started: new Date(startedAt).toISOString(),
        database: { version: postgres, is_embedded: isEmbedded, is_disk_full: isDiskFull(), size_bytes: size },
        history: historyOf(options),
        disk: diskOf(options),
        certificate: certificateOf(options),
        key_file_fault: fault ?? null,
        agents: { connected, parked, connecting, versions: [...versions] },
        last_backup: backup === undefined ? null : new Date(backup.created).toISOString(),
      }
    },
  }
}

function historyOf({ history }: SystemOptions): SystemInfo['history'] {
  const { sizes, maxBytes, isPaused } = history.metrics()
  const size = Object.values(sizes).reduce((sum, bytes) => sum + bytes, 0)
  return { is_on: history.isOn, size_bytes: size, max_bytes: maxBytes, is_paused: isPaused }
}

function diskOf({ disk }: SystemOptions): SystemInfo['disk'] {
  const space = disk()
  return space === undefined ? null : { available_bytes: space.availableBytes, total_bytes: space.totalBytes }
}

function certificateOf({ certificate, authority }: SystemOptions): SystemInfo['certificate'] {
  const served = certificate()
  if (served === null) return null
  const own = authority()
  return {
    valid_until: endOf(served),
    is_own: own !== null,
    authority_valid_until: own === null ? null : endOf(own),
  }
}

function endOf(pem: string): string {
  return new Date(new X509Certificate(pem).validTo).toISOString()
}
