import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { AgentPackage, AgentUpgrade, AgentUpgradeState } from '@roost/api-types/agent'
import * as z from 'zod/mini'
import { removeManagedFile, writeManagedFile } from '../machine/managed-file.js'
import { readManagedRecord } from '../machine/managed-record.js'

/** The state directory of the root helper. The agent reads it and cannot write it. */
export const helperDir = '/var/lib/roost-agent-upgrade'

const upgrade = AgentUpgrade.shape.upgrade
const version = z.string().check(z.regex(/^\d[\w.+~]{0,99}$/))
const PackageFile = z.pick(AgentPackage, { name: true, sha256: true, signature: true })

/** What the agent asks the root helper for. The files are beside it. */
export const UpgradeRequest = z.object({
  upgrade,
  version,
  package: PackageFile,
  /** The package of the installed version; null where the helper has kept it. */
  former: z.nullable(PackageFile),
})
export type UpgradeRequest = z.infer<typeof UpgradeRequest>

/** Written by the helper before it changes anything, and removed when it has ended. */
export const UnderWay = z.object({
  upgrade,
  version,
  former: version,
  phase: z.enum(['installing', 'watching', 'returning']),
  reason: z.string(),
})
export type UnderWay = z.infer<typeof UnderWay>

export const UpgradeResult = z.object({ upgrade, version, state: AgentUpgradeState, message: z.string() })
export type UpgradeResult = z.infer<typeof UpgradeResult>

/** Written by an agent that has a session while the helper waits for it. */
export const UpgradeReport = z.object({ upgrade, version: z.string() })
export type UpgradeReport = z.infer<typeof UpgradeReport>

/** Returns the locations of both sides' files. */
export function upgradePaths(dataDir: string, helper: string = helperDir) {
  const folder = join(dataDir, 'upgrade')
  return {
    /** The agent's. */
    folder,
    request: join(folder, 'request.json'),
    report: join(folder, 'report.json'),
    /** The helper's. */
    helper,
    underWay: join(helper, 'under-way.json'),
    result: join(helper, 'result.json'),
    next: join(helper, 'next'),
    kept: join(helper, 'kept'),
  }
}
export type UpgradePaths = ReturnType<typeof upgradePaths>

/** Returns the name under which the helper keeps the package of a version. */
export function keptName(of: string, format: string): string {
  return `roost-agent-${of}.${format}`
}

/** The files of an upgrade that the agent reads and writes. */
export function upgradeFiles(paths: UpgradePaths) {
  const write = async (path: string, record: object) => {
    await mkdir(paths.folder, { recursive: true, mode: 0o700 })
    await writeManagedFile(path, JSON.stringify(record))
  }
  return {
    readResult: () => readManagedRecord(paths.result, UpgradeResult),
    readUnderWay: () => readManagedRecord(paths.underWay, UnderWay),
    readRequest: () => readManagedRecord(paths.request, UpgradeRequest),
    writeRequest: (request: UpgradeRequest) => write(paths.request, request),
    removeRequest: () => removeManagedFile(paths.request),
    writeReport: (report: UpgradeReport) => write(paths.report, report),
  }
}
