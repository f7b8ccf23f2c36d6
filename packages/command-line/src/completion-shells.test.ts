import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { completionScript } from './completion-script.js'
import type { Shell } from './completion-script.js'

const folder = mkdtempSync(join(tmpdir(), 'roost-completion-'))
afterAll(() => rmSync(folder, { recursive: true }))

const isInstalled = (shell: Shell) => spawnSync(shell, ['-c', 'true']).status === 0

function fileOf(shell: Shell): string {
  const file = join(folder, shell)
  writeFileSync(file, completionScript(shell, 'my-tool'))
  return file
}

/** Prints what the shell would offer, with a program that repeats its arguments and has two candidates. */
function run(shell: Shell, args: readonly string[], script: string): readonly string[] {
  const { status, stdout, stderr } = spawnSync(shell, [...args, '-c', script], { encoding: 'utf8' })
  expect([status, stderr]).toEqual([0, ''])
  return stdout.trim().split('\n')
}

describe.skipIf(!isInstalled('zsh'))('the completion script in zsh', () => {
  it('offers what the program prints, also names with blanks', () => {
    const script = `
      my-tool() { print -l "$*" 'two words' }
      compdef() { print -- "compdef $*" }
      compadd() { shift; print -l -- "$@" }
      source ${fileOf('zsh')}
      words=(my-tool node 'my gat'); CURRENT=3
      _my-tool`
    expect(run('zsh', ['-f'], script)).toEqual(['compdef _my-tool my-tool', 'complete -- node my gat', 'two words'])
  })
})

describe.skipIf(!isInstalled('fish'))('the completion script in fish', () => {
  it('offers what the program prints, also names with blanks', () => {
    const script = `
      function my-tool; printf '%s\\n' "noted $argv" 'not me' 'now then'; end
      source ${fileOf('fish')}
      complete -C 'my-tool node no'`
    const offered = run('fish', ['--no-config'], script)
    expect(offered.toSorted()).toEqual(['not me', 'noted complete -- node no', 'now then'])
  })
})
