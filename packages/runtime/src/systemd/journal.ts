import { execFile } from 'node:child_process'

const journalLines = 5_000
const deadlineMs = 20_000
const maxBytes = 1 << 25

/** Returns the last lines that these units wrote to the journal of systemd. */
export async function readJournal(units: readonly string[]): Promise<string> {
  const named = units.flatMap((unit) => ['-u', unit])
  return outputOf('journalctl', [...named, '-n', String(journalLines), '--no-pager', '-q', '-o', 'short-iso-precise'])
}

/** Returns what systemd knows of these units. */
export async function readUnitStates(units: readonly string[]): Promise<string> {
  return outputOf('systemctl', ['status', '--no-pager', '--lines=0', '--full', ...units])
}

/** Returns the standard output of a program; an exit code above 0 counts only without any. */
function outputOf(program: string, args: readonly string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    execFile(program, args, { timeout: deadlineMs, maxBuffer: maxBytes }, (error, stdout, stderr) => {
      if (error === null || stdout !== '') return resolve(stdout)
      const { code } = error as NodeJS.ErrnoException
      return reject(new Error(code === 'ENOENT' ? `${program} is not installed.` : `${program}: ${stderr.trim()}`))
    })
  })
}
