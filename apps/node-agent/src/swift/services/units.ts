import type { RunCommand } from '../../machine/run-command.js'

/** The unit of systemd that runs a program of Swift. */
export interface SwiftUnit {
  readonly isEnabled: boolean
  /** It runs, or systemd starts it again. */
  readonly isActive: boolean
  readonly restarts: number
}

const deadlineMs = 5_000
const patterns = ['swift-*.service', 'openstack-swift-*.service']

/** Finds the units that run a program of Swift which was started with one of these files or folders. */
export async function findUnitsOf(run: RunCommand, configurations: readonly string[]): Promise<readonly string[]> {
  const args = ['show', '--property=Id,ActiveState,ExecStart', '--', ...patterns]
  const { exitCode, stdout } = await run('systemctl', args, { deadlineMs })
  return exitCode === 0 ? parseUnitsOf(stdout, configurations) : []
}

/** Parses the blocks of `systemctl show`; a unit that does not run is left out. */
export function parseUnitsOf(text: string, configurations: readonly string[]): readonly string[] {
  const known = new Set(configurations)
  return blocksOf(text).flatMap((values) => {
    const parts = (values.get('ExecStart') ?? '').split(/[\s;]+/).map((part) => part.replace(/(?<=.)\/+$/, ''))
    return values.get('ActiveState') === 'active' && parts.some((part) => known.has(part))
      ? (values.get('Id') ?? [])
      : []
  })
}

function blocksOf(text: string): readonly ReadonlyMap<string | undefined, string>[] {
  return text
    .split(/\n\s*\n/)
    .map(
      (block) => new Map(block.split('\n').map((line) => [line.split('=', 1)[0], line.slice(line.indexOf('=') + 1)])),
    )
}

/** Asks systemd for the units of Swift's programs, by names such as `object-updater`. Units that it has not loaded are absent. */
export async function readUnits(run: RunCommand): Promise<ReadonlyMap<string, SwiftUnit>> {
  const args = ['show', '--property=Id,ActiveState,UnitFileState,NRestarts', '--', ...patterns]
  const result = await run('systemctl', args, { deadlineMs })
  return result.exitCode === 0 ? parseUnits(result.stdout) : new Map()
}

/** Parses the blocks of `systemctl show`. */
export function parseUnits(text: string): ReadonlyMap<string, SwiftUnit> {
  const units = blocksOf(text).flatMap((values): readonly (readonly [string, SwiftUnit])[] => {
    const name = /^(?:openstack-)?swift-([a-z-]+)\.service$/.exec(values.get('Id') ?? '')?.[1]
    const state = values.get('UnitFileState')
    if (name === undefined || state === undefined || state === '') return []
    const isActive = !['inactive', 'failed'].includes(values.get('ActiveState') ?? '')
    const restarts = Number(values.get('NRestarts') ?? 0) || 0
    return [[name, { isEnabled: state.startsWith('enabled'), isActive, restarts }]]
  })
  return new Map(units)
}
