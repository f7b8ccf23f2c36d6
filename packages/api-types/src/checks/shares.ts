import { check } from './check.js'

interface UnreachableFacts {
  readonly authUrl: string
  readonly user: string
  readonly since: Date
  readonly reason: string
}

export const storageUnreachable = check({
  code: 'storage_unreachable',
  severity: 'critical',
  about: 'url',
  endangers: 'service',
  effect: 'Files that clients save stay on the gateway, and files that are not in its cache cannot be read.',
  alert: { forSeconds: 300 },
  judge: ({ authUrl, user, since, reason }: UnreachableFacts) => ({
    subject: authUrl,
    sentence: `Swift at ${authUrl} has not accepted the login ${user} since ${since.toISOString()} (${reason}). Files that clients save stay on this node until it does.`,
    remedy: 'Check that Swift is running, and the login (`roost cluster set-storage`).',
  }),
})

export const mountOutdated = check({
  code: 'mount_outdated',
  severity: 'warning',
  about: 'share',
  endangers: 'upkeep',
  effect: 'The mount of the share lacks fixes.',
  judge: ({ share }: { readonly share: string }) => ({
    subject: share,
    sentence: `The mount of the share '${share}' was started by an earlier version of the agent and lacks the fixes of this version.`,
    remedy: 'The agent will restart it when no client has an open file there; the next deployment replaces it at once.',
  }),
})

interface CacheSizeFacts {
  readonly directory: string
  readonly partMegabytes: number
  readonly leastMegabytes: number
  readonly shares: number
}

export const cacheSmall = check({
  code: 'cache_small',
  severity: 'warning',
  about: 'directory',
  endangers: 'space',
  effect: 'Clients may not be able to write large files.',
  measure: { what: 'megabytes of cache for each share' },
  judge: ({ directory, partMegabytes, leastMegabytes, shares }: CacheSizeFacts) => ({
    value: partMegabytes,
    threshold: leastMegabytes,
    subject: directory,
    sentence: `The disk of the cache ${directory} leaves ${partMegabytes} MB for each of ${shares} shares, which is less than ${leastMegabytes} MB.`,
    remedy: 'Enlarge it, or set cache_size_mb of these shares.',
  }),
})

interface CacheDiskFacts {
  readonly directory: string
  /** Completes a sentence about the disk. */
  readonly state: string
  readonly usedPercent: number
  readonly mostPercent: number
}

export const cacheNearlyFull = check({
  code: 'cache_nearly_full',
  severity: 'critical',
  about: 'directory',
  endangers: 'service',
  effect: 'When it is full, clients cannot write.',
  measure: { what: 'percent of the disk that is used' },
  judge: ({ directory, state, usedPercent, mostPercent }: CacheDiskFacts) => ({
    value: usedPercent,
    threshold: mostPercent,
    subject: directory,
    sentence: `The disk of the cache ${directory} ${state}. When it is full, clients cannot write.`,
    remedy: 'Remove other files from this disk, or enlarge it, and check that Swift accepts uploads.',
  }),
})

interface ShareFacts {
  readonly share: string
  /** What happened there, and what to do. */
  readonly sentences: readonly string[]
}

export const cacheOutOfSpace = check({
  code: 'cache_out_of_space',
  severity: 'critical',
  about: 'share',
  endangers: 'service',
  effect: 'Clients cannot write to the share.',
  judge: ({ share, sentences }: ShareFacts) => ({
    subject: share,
    sentence: `The cache of the share '${share}' ran out of space.`,
    remedy: sentences.join(' '),
  }),
})

interface StrandedFacts {
  readonly share: string
  readonly files: number
  readonly bytes: number
  readonly oldest: Date
  /** What the agent does about them. */
  readonly action: string
}

export const shareNotUploaded = check({
  code: 'share_not_uploaded',
  severity: 'warning',
  about: 'share',
  endangers: 'data',
  effect: 'Files that clients saved exist only on the gateway: they are lost if its disk fails.',
  measure: { what: 'files that are not in Swift' },
  alert: { code: 'UPLOADS_WAIT', forSeconds: 300 },
  judge: ({ share, files, bytes, oldest, action }: StrandedFacts) => ({
    value: files,
    threshold: 0,
    subject: share,
    sentence: `${files} files (${bytes} bytes) of the share '${share}' are not in Swift; the oldest was last changed at ${oldest.toISOString()}.`,
    remedy: action,
  }),
})
