import { type ChildProcessByStdio, spawn } from 'node:child_process'
import type { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'

export interface DiskSpace {
  readonly totalBytes: number
  /** For accounts other than root. */
  readonly availableBytes: number
}

/** The disk of a directory, or of its first parent that exists. */
export interface DiskReader {
  /** Rejects when the disk cannot be read in time, and while an earlier process still hangs in it. */
  read(): Promise<DiskSpace>
  /** Stops a reading in progress. */
  close(): void
}

export interface DiskReaderOptions {
  readonly deadlineMs?: number
  readonly program?: string
  /** Where the process finds `df`. */
  readonly searchPath?: string
}

type Child = ChildProcessByStdio<null, Readable, Readable>

const diskProgram = fileURLToPath(new URL('disk-space-main.js', import.meta.url))
const systemPath = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:/run/current-system/sw/bin'

/** Reads in a process of its own: a dead mount hangs `df`, and must not hang this process. */
export function createDiskReader(directory: string, options: DiskReaderOptions = {}): DiskReader {
  const { deadlineMs = 3_000, program = diskProgram, searchPath = systemPath } = options
  let child: Child | undefined
  let reading: Promise<DiskSpace> | undefined

  async function read(): Promise<DiskSpace> {
    if (child !== undefined) throw new Error(`The disk of ${directory} still does not answer.`)
    const started = spawn(process.execPath, [program, directory], {
      cwd: '/',
      env: { PATH: searchPath, LC_ALL: 'C' },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    })
    child = started
    for (const event of ['exit', 'error']) started.once(event, () => (child = undefined))
    return JSON.parse(await outputOf(started, directory, deadlineMs)) as DiskSpace
  }

  return {
    read: () => (reading ??= read().finally(() => (reading = undefined))),
    close: () => child && kill(child),
  }
}

function outputOf(child: Child, directory: string, deadlineMs: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const fail = (reason: string) => {
      clearTimeout(timer)
      reject(new Error(`The disk of ${directory} could not be read: ${reason}.`))
    }
    const timer = setTimeout(() => {
      kill(child)
      fail(`it did not answer within ${deadlineMs / 1_000} s`)
    }, deadlineMs)
    let [output, errors] = ['', '']
    child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text))
    child.stderr.setEncoding('utf8').on('data', (text: string) => (errors += text))
    child.once('error', ({ message }) => fail(message))
    child.once('close', (code) => {
      if (code !== 0)
        return fail(/^.*Error: (.*)$/m.exec(errors)?.[1] ?? 'the process that read the free space was stopped')
      clearTimeout(timer)
      resolve(output)
    })
  })
}

/** Kills the process with its children. One that hangs in the kernel stays, and must not delay the end of this process. */
function kill(child: Child): void {
  try {
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL')
  } catch {
    child.kill('SIGKILL') // the group has ended
  }
  child.stdout.destroy()
  child.stderr.destroy()
  child.unref()
}
