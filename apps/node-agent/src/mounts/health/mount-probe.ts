import { startHelper } from '../../machine/helper.js'
import type { RunCommand } from '../../machine/run-command.js'
import { createStatfsProbe } from '../../machine/statfs-probe.js'
import type { StatfsProbe } from '../../machine/statfs-probe.js'

// For `statfs` rclone asks Swift once in a while, and would seem to hang while Swift is away; the top folder's attributes are its own.
// Without a field of the file in its answer, `stat` does not ask for one.
const answer = '1 %s %h %u %g 0'
const roundScript = `while read -r _; do stat -c '${answer} %-4200n' -- "$@"; echo .; done`

/** Probes mounts in other processes for whether they answer at all. */
export function createMountProbe(run: RunCommand): StatfsProbe {
  return createStatfsProbe({
    run,
    start: startHelper,
    command: ['stat', '-c', answer],
    roundCommand: ['sh', '-c', roundScript, 'roost-mounts'],
  })
}
