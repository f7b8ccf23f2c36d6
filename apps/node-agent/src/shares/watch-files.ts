import { type FSWatcher, watch } from 'node:fs'
import { basename, dirname } from 'node:path'
import type { Machine } from '../host/machine.js'

/** Several changes at once are one. */
const settlesMs = 500

/** Tells when one of the files was changed, or came or went. A folder that is not there is not watched. */
export function watchFiles(machine: Machine, files: readonly string[], changed: () => void): () => void {
  const names = new Set(files.map((file) => basename(file)))
  let timer: NodeJS.Timeout | undefined
  const watchers: FSWatcher[] = []
  for (const folder of new Set(files.map((file) => machine.path(dirname(file))))) {
    try {
      const watcher = watch(folder, { persistent: false }, (_event, name) => {
        if (name !== null && !names.has(name)) return
        clearTimeout(timer)
        timer = setTimeout(changed, settlesMs)
        timer.unref()
      })
      watcher.on('error', () => watcher.close())
      watchers.push(watcher)
    } catch {
      // It is looked at once a minute all the same.
    }
  }
  return () => {
    clearTimeout(timer)
    for (const watcher of watchers) watcher.close()
  }
}
