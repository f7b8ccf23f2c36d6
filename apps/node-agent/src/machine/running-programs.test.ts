import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { openMachine } from './machine.js'
import { readPrograms } from './running-programs.js'

const programs = () => readPrograms(openMachine('/'))

/** Starts a program with the name of a server that sleeps until the end of the test. */
function start(name: string, by: (path: string) => ChildProcess): ChildProcess {
  const dir = mkdtempSync(join(tmpdir(), 'roost-programs-'))
  onTestFinished(() => rmSync(dir, { recursive: true }))
  const path = join(dir, name)
  copyFileSync('/bin/sleep', path)
  const child = by(path)
  onTestFinished(() => void process.kill(-(child.pid ?? 0), 'SIGKILL'))
  return child
}

it('are those of others, and not a server that was started here to read its version', async ({ skip }) => {
  // A gateway on this machine, or another suite, may run one of them.
  const name =
    ['ganesha.nfsd', 'smbd'].find((server) => !programs().has(server)) ?? skip('needs a server that does not run')
  const ours = start(name, (path) => spawn(path, ['60'], { detached: true }))
  start('rpc.mountd', (path) => spawn('/bin/sh', ['-c', '"$0" 60 & wait', path], { detached: true }))
  await expect.poll(() => [...programs()]).toContain('rpc.mountd')
  expect([ours.exitCode, programs().has(name)]).toEqual([null, false])
})
