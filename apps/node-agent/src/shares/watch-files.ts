import { type FSWatcher, watch } from 'node:fs'
import { basename, dirname } from 'node:path'
import type { Machine } from '../machine/machine.js'

/** Several changes at once are one. */
const settlesMs = 500
/** How often a folder is looked for that is not there: `gateway prepare` makes them, perhaps while the agent runs. */
const lookMs = 5_000

/** Tells when one of the files was changed, or came or went, their folders too. */
export function watchFiles(machine: Machine, files: readonly string[], changed: () => void): () => void {
  const names = new Set(files.map((file) => basename(file)))
  let settling: NodeJS.Timeout | undefined
  const tell = (): void => {
    clearTimeout(settling)
    settling = setTimeout(changed, settlesMs).unref()
  }
  const folders = [...new Set(files.map((file) => machine.path(dirname(file))))]
  const watches = folders.map((folder) => watchFolder(folder, (name) => names.has(name), tell))
  return () => {
    clearTimeout(settling)
    for (const end of watches) end()
  }
}

function watchFolder(folder: string, isOurs: (name: string) => boolean, tell: () => void): () => void {
  let watcher: FSWatcher | undefined
  let looking: NodeJS.Timeout | undefined
  const lookAgain = (): void => {
    watcher?.close()
    watcher = undefined
    clearTimeout(looking)
    looking = setTimeout(() => open() && tell(), lookMs).unref()
  }
  const open = (): boolean => {
    try {
      watcher = watch(folder, { persistent: false }, (event, name) => {
        if (name === null || isOurs(name)) tell()
        // So the folder itself went, and one of the same name is another.
        if (event === 'rename' && name === basename(folder)) lookAgain()
      }).on('error', lookAgain)
      return true
    } catch {
      lookAgain()
      return false
    }
  }
  open()
  return () => {
    clearTimeout(looking)
    watcher?.close()
  }
}
