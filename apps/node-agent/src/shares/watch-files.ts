import { type FSWatcher, watch } from 'node:fs'
import { basename, dirname } from 'node:path'
import type { Machine } from '../machine/machine.js'

/** Several changes at once are one. */
const settlesMs = 500
/** How often a folder is looked for that is not there: `gateway prepare` makes them, perhaps while the agent runs. */
const retryMs = 5_000

/** Calls back when one of the files, or its folder, was changed, created or removed. */
export function watchFiles(machine: Machine, files: readonly string[], changed: () => void): () => void {
  const names = new Set(files.map((file) => basename(file)))
  let settling: NodeJS.Timeout | undefined
  const notify = (): void => {
    clearTimeout(settling)
    settling = setTimeout(changed, settlesMs).unref()
  }
  const folders = [...new Set(files.map((file) => machine.path(dirname(file))))]
  const watches = folders.map((folder) => watchFolder(folder, (name) => names.has(name), notify))
  return () => {
    clearTimeout(settling)
    for (const end of watches) end()
  }
}

function watchFolder(folder: string, isOurs: (name: string) => boolean, notify: () => void): () => void {
  let watcher: FSWatcher | undefined
  let retrying: NodeJS.Timeout | undefined
  const retry = (): void => {
    watcher?.close()
    watcher = undefined
    clearTimeout(retrying)
    retrying = setTimeout(() => open() && notify(), retryMs).unref()
  }
  const open = (): boolean => {
    try {
      watcher = watch(folder, { persistent: false }, (event, name) => {
        if (name === null || isOurs(name)) notify()
        // So the folder itself went, and one of the same name is another.
        if (event === 'rename' && name === basename(folder)) retry()
      }).on('error', retry)
      return true
    } catch {
      retry()
      return false
    }
  }
  open()
  return () => {
    clearTimeout(retrying)
    watcher?.close()
  }
}
