import type { RunCommand } from '../../machine/run-command.js'

/** The unit of systemd that runs a program of Swift. */
export interface SwiftUnit {
  readonly isEnabled: boolean
  readonly restarts: number
}

const deadlineMs = 5_000

/** Asks systemd for the units of Swift's programs, by names such as `object-updater`. Units that it has not loaded are absent. */
export async function readUnits(run: RunCommand): Promise<ReadonlyMap<string, SwiftUnit>> {
  const patterns = ['swift-*.service', 'openstack-swift-*.service']
  const args = ['show', '--property=Id,UnitFileState,NRestarts', '--', ...patterns]
  const result = await run('systemctl', args, { deadlineMs })
  return result.exitCode === 0 ? parseUnits(result.stdout) : new Map()
}

/** Parses the blocks of `systemctl show`. */
export function parseUnits(text: string): ReadonlyMap<string, SwiftUnit> {
  const units = text.split(/\n\s*\n/).flatMap((block): readonly (readonly [string, SwiftUnit])[] => {
    const values = new Map(block.split('\n').map((line) => [line.split('=', 1)[0], line.slice(line.indexOf('=') + 1)]))
    const name = /^(?:openstack-)?swift-([a-z-]+)\.service$/.exec(values.get('Id') ?? '')?.[1]
    const state = values.get('UnitFileState')
    if (name === undefined || state === undefined || state === '') return []
    return [[name, { isEnabled: state.startsWith('enabled'), restarts: Number(values.get('NRestarts') ?? 0) || 0 }]]
  })
  return new Map(units)
}
