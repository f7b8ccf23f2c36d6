import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Clock, Log } from '@roost/runtime'
import type { AgentConfig } from '../config.js'
import type { Applier, Appliers } from '../deployments/applier.js'
import { kernelOf, type Machine } from '../machine/machine.js'
import { runCommand } from '../machine/run-command.js'
import type { ShareCounts } from '../mounts/cache/files/share-counts.js'
import type { Mounts } from '../mounts/desired/mounts.js'
import type { RestoredMounts } from '../mounts/health/restored-mounts.js'
import { openMounts } from './mounts.js'
import type { NodeProblems } from '../machine/problems.js'
import { createGatewayApplier } from '../shares/gateway-applier.js'
import { gatewayState, type GatewayState } from '../shares/gateway-state.js'
import { locationsOf } from '../shares/share-locations.js'
import { createShareAccounts } from '../shares/share-accounts.js'
import { openServers } from '../shares/share-servers.js'
import type { RequestHandlers } from '../uplink/requests.js'
import { endCachedTokens } from '../swift/keystone/end-cached-tokens.js'
import { readTokenCaches } from '../swift/keystone/token-caches.js'
import { createUserDbApplier } from '../swift/users/applier.js'
import { inForceFile } from '../swift/users/in-force.js'
import { readProxyAuthentication } from '../swift/users/authentication.js'
import { findLocation } from '../swift/users/location.js'
import { listProxyUsers } from '../swift/users/proxy-users.js'
import { endTokensOf } from '../swift/users/tokens.js'

export interface AppliersOptions {
  readonly config: AgentConfig
  readonly machine: Machine
  /** The UUID of the node. */
  readonly node: string
  readonly problems: NodeProblems
  readonly shareCounts: ShareCounts
  readonly restored: RestoredMounts
  readonly clock: Clock
  readonly log: Log
}

export interface OpenedAppliers {
  readonly appliers: Appliers
  /** THE LIST: the handler of each kind of request. */
  readonly requests: RequestHandlers
  /** Stops watching what was applied, which is kept unchanged. */
  close(): Promise<void>
}

/** THE LIST: builds every applier of this agent. */
export async function openAppliers(options: AppliersOptions): Promise<OpenedAppliers> {
  const { config, machine } = options
  const { gateway, dataDir } = config
  const state = gatewayState(join(dataDir, 'shares'), options.node)
  const readNames = async () => (await state.readInForce()).names
  const { mounts, uploads, health } = await openMounts({ ...options, gateway, dataDir, run: runCommand, readNames })
  const appliers = { gateway: gatewayOf(options, mounts, state), user_db: userDb(options) }
  await mounts.open()
  return {
    appliers,
    requests: {
      share_uploads: async ({ share }) => uploads.answer(share),
      remove_leftovers: ({ share, names }) => uploads.removeLeftovers(share, names),
      end_cached_tokens: ({ users }) => endKeystoneTokens(options, users),
      proxy_users: async ({ salt }) => {
        const { swiftDirectory } = config
        return { users: [...listProxyUsers(machine, kernelOf(machine), { swiftDirectory, salt })] }
      },
      proxy_authentication: async () => ({
        authentication: readProxyAuthentication(machine, config.swiftDirectory) ?? null,
      }),
      end_tokens: async ({ generation }) => endUserTokens(options, generation),
    },
    async close() {
      await Promise.all([uploads.close(), health.close()])
      await mounts.close()
    },
  }
}

function gatewayOf({ config, machine }: AppliersOptions, mounts: Mounts, state: GatewayState): Applier<'gateway'> {
  const { gateway } = config
  return createGatewayApplier({
    machine,
    mounts,
    servers: openServers({ machine, run: runCommand, gateway, locations: locationsOf(gateway) }),
    accounts: createShareAccounts(runCommand),
    state,
  })
}

async function endUserTokens({ config, machine, node }: AppliersOptions, generation: number) {
  const kept = inForceFile(join(config.dataDir, 'user_db'), node)
  const settings = () => findLocation(machine, kernelOf(machine), config.swiftDirectory).settings
  const { ended, notReached } = await endTokensOf(generation, kept, settings)
  return { ended, notes: [...notReached] }
}

/** What is longer on its way from Keystone to a proxy than this, is not expected. */
const validationMs = 5_000

function endKeystoneTokens({ config, machine }: AppliersOptions, users: readonly string[]) {
  const caches = readTokenCaches(machine, config.swiftDirectory)
  return endCachedTokens(caches, users, () => sleep(validationMs))
}

function userDb({ config, machine, node, clock }: AppliersOptions): Applier<'user_db'> {
  return createUserDbApplier({
    machine,
    kernel: kernelOf(machine),
    dir: join(config.dataDir, 'user_db'),
    node,
    swiftDirectory: config.swiftDirectory,
    run: runCommand,
    signal: (pid, name) => process.kill(pid, name),
    clock,
    reloadTimeoutMs: config.proxyReloadMs,
  })
}
