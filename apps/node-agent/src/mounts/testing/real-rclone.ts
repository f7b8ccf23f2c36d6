import { existsSync } from 'node:fs'

/** False where no rclone can mount. */
export const hasRclone = existsSync('/dev/fuse') && existsSync('/usr/bin/rclone')

/** On a machine with much to do. */
export const patience = { timeout: 100_000, interval: 100 }
