import type { SystemInfo } from '@roost/api-types/rest'
import type { Command } from 'commander'
import type { Config } from '../../config.js'
import { withApi } from '../client/api.js'
import { moment } from '../terminal/cells.js'
import { isStructured, print, printValue, withOutput } from '../terminal/output.js'
import type { OutputOptions, View } from '../terminal/output.js'
import type { Terminal } from '../terminal/terminal.js'

const gb = (bytes: number) => `${(bytes / 1e9).toFixed(1)} GB`

const view: View<SystemInfo> = {
  columns: {
    VERSION: ({ version }) => version,
    STARTED: ({ started }) => moment(started),
    DATABASE: ({ database }) => gb(database.size_bytes),
    'DISK FREE': ({ disk }) => (disk === null ? null : gb(disk.available_bytes)),
    AGENTS: ({ agents }) => agents.connected,
    'CERTIFICATE UNTIL': ({ certificate }) => (certificate === null ? null : moment(certificate.valid_until)),
    BACKUP: ({ last_backup: at }) => (at === null ? null : moment(at)),
  },
  wide: {
    POSTGRESQL: ({ database }) => database.version,
    HISTORY: ({ history }) => (history.is_on ? `${gb(history.size_bytes)} of ${gb(history.max_bytes)}` : 'off'),
    'AGENT VERSIONS': ({ agents }) =>
      agents.versions.map(({ version, nodes }) => `${version ?? 'none'}: ${nodes}`).join(', '),
  },
  name: ({ version }) => version,
}

/** Adds the command that shows the control plane itself. */
export function addSystem(program: Command, config: () => Config, terminal: Terminal): void {
  withOutput(program.command('system'))
    .description('Show the control plane itself: version, database, disk, certificate, agents and the last backup')
    .action((options: OutputOptions) =>
      withApi(config(), async (rpc) => {
        const system = await rpc.system.query()
        if (isStructured(options)) await printValue(terminal, system, options)
        else await print(terminal, [system], view, options)
      }),
    )
}
