import { startHelper } from '../../machine/helper.js'
import type { RunCommand } from '../../machine/run-command.js'
import { createStatfsProbe } from '../../machine/statfs-probe.js'
import type { StatfsProbe } from '../../machine/statfs-probe.js'

// For `statfs` rclone asks Swift once in a while, and would seem to hang while Swift is unavailable; the top folder's attributes are its own.
// `stat` asks for attributes only when the format has a field of the file.
const answer = '1 %s %h %u %g 0'
const roundScript = `while read -r _; do stat -c '${answer} %-4200n' -- "$@"; echo .; done`

/** Checks in other processes whether mounts answer. */
export function createMountProbe(run: RunCommand): StatfsProbe {
  return createStatfsProbe({
    run,
    start: startHelper,
    command: ['stat', '-c', answer],
    roundCommand: ['sh', '-c', roundScript, 'roost-mounts'],
  })
}
