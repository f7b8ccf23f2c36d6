import { open, stat } from 'node:fs/promises'
import type { Machine } from '../../../machine/machine.js'

const deadlineMs = 20_000
const pollMs = 100
/** Errors follow the line that says that it is done. */
const afterwardsMs = 300
const maxBytes = 16 << 20

const ended = /Reread exports complete|Error while parsing new configuration/
const wrong = /:CRIT :|:MAJ |Client \(.*\) not found/

/**
 * Remembers the end of nfs-ganesha's log, which has the result of a reload: ganesha cannot check a configuration without
 * loading it. `outcome` rejects with the errors after that point, or when there is no result.
 */
export async function followGaneshaLog(machine: Machine, file: string): Promise<{ outcome(): Promise<void> }> {
  const path = machine.path(file)
  const from = await sizeOf(path)
  return {
    async outcome() {
      for (let waited = 0; ; waited += pollMs) {
        if (ended.test(await readFrom(path, from))) break
        if (waited >= deadlineMs)
          throw new Error(`nfs-ganesha has not logged in ${file} that it loaded its exports again.`)
        await pause(pollMs)
      }
      await pause(afterwardsMs)
      const lines = (await readFrom(path, from)).split('\n').filter((line) => wrong.test(line))
      if (lines.length > 0) throw new Error(`nfs-ganesha: ${lines.slice(0, 3).map(saidIn).join('; ')}.`)
    },
  }
}

/** Removes the prefix that every line of the log has. */
function saidIn(line: string): string {
  return line.replace(/^.*?:(?:CRIT|MAJ|WARN) ?:/, '').trim()
}

async function sizeOf(path: string): Promise<number> {
  return stat(path).then(
    ({ size }) => size,
    () => 0,
  )
}

async function readFrom(path: string, from: number): Promise<string> {
  const size = await sizeOf(path)
  // A rotated log begins at its start.
  const start = size < from ? 0 : from
  if (size === start) return ''
  const file = await open(path, 'r')
  try {
    const bytes = Buffer.alloc(Math.min(size - start, maxBytes))
    await file.read(bytes, 0, bytes.length, start)
    return bytes.toString()
  } finally {
    await file.close()
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
