import { Command, Option } from 'commander'
import { describe, expect, it } from 'vitest'
import { candidatesFor, completionScript, manualPage, shells } from './index.js'

const program = new Command('store-agent').description('Keeps things')
program.option('--dir <dir>', 'folder')
program.command('hidden', { hidden: true }).description('Not for people')
const gateway = program.command('gateway').description('Prepare the machine')
gateway
  .command('prepare <node>')
  .description('.Show changes')
  .addOption(new Option('--nfs <server>', 'server').choices(['kernel', 'ganesha']))

describe('the manual page', () => {
  it('has the program, and each command with its options; no line begins as a request of roff', () => {
    const page = manualPage(program, 'Exit codes: 0')
    for (const part of ['.TH STORE\\-AGENT 1', '.SS store\\-agent gateway prepare <node>', '\\&.Show', '.B \\-\\-nfs'])
      expect(page).toContain(part)
    expect(page).not.toContain('hidden')
  })
})

describe('completion', () => {
  it.each([
    [['g'], ['gateway']],
    [
      ['gateway', ''],
      ['help', 'prepare'],
    ],
    [
      ['gateway', 'prepare', '--nfs', ''],
      ['ganesha', 'kernel'],
    ],
    [['gateway', 'prepare', 's'], ['store-1']],
    [['--d'], ['--dir']],
    [['none', ''], []],
  ])('offers for %j: %j', async (args, candidates) => {
    expect(await candidatesFor(program, args, async (kind) => (kind === 'node' ? ['store-1'] : []))).toEqual(candidates)
  })

  it.each(shells)('by %s calls the program, by a function whose name the shell takes', (shell) => {
    const script = completionScript(shell, 'store-agent')
    expect(script).toContain('store-agent complete -- ')
    // A name of a function may have a hyphen in zsh alone, where the file has the function's name.
    expect(script.includes('_store-agent()')).toBe(shell === 'zsh')
  })
})
