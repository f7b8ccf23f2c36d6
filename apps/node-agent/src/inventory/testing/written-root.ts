import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach } from 'vitest'

export interface WrittenRoot {
  /** The root of the machine of the running test. */
  readonly path: string
  readonly write: (path: string, text: string) => void
  /** Writes what is mounted, a line each. */
  readonly mounts: (lines: readonly string[]) => void
}

/** Creates the root of a machine for each test of the calling file, which writes its files. */
export function useWrittenRoot(): WrittenRoot {
  let root = ''
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'roost-root-'))
  })
  afterEach(() => rmSync(root, { recursive: true, force: true }))
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text, 'latin1')
  }
  return {
    get path() {
      return root
    },
    write,
    mounts: (lines) => write('proc/self/mountinfo', lines.map((line, i) => `${i + 30} 1 ${line}`).join('\n')),
  }
}
