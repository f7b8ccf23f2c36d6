import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeAll, describe, expect, it } from 'vitest'
import { everyCommand, leavesOf, pathOf } from '../support/programs/command-tree.js'
import type { Command } from '../support/programs/command-tree.js'

const docs = fileURLToPath(new URL('../../docs', import.meta.url))
const pages = ['operate.md', ...readdirSync(join(docs, 'alerts')).map((name) => `alerts/${name}`)]

/** Returns the lines of a page that call `roost`: in blocks, and between backticks. */
function linesOf(page: string): readonly string[] {
  const text = readFileSync(join(docs, page), 'utf8')
  const blocks = [...text.matchAll(/^```[^\n]*\n([^]*?)^```$/gm)].flatMap(([, block = '']) =>
    block.replaceAll(/\\\n\s*/g, ' ').split('\n'),
  )
  const spans = [...text.replaceAll(/^```[^]*?^```$/gm, '').matchAll(/`([^`\n]+)`/g)].map(([, span = '']) => span)
  return [...blocks, ...spans].flatMap(
    (line) => /(?<!-[ogu] )(?:^|(?<=[\s(]))(?:\.\/)?(roost (?!local serve\b)[^#)]*)/.exec(line)?.[1] ?? [],
  )
}

/** Splits a line as a shell does, up to what begins another command. `a|b` in the documents is a choice: each is checked. */
function wordsOf(line: string): readonly string[] {
  const words = line.replaceAll(/\\\|/g, '|').match(/(?:'[^']*'|"[^"]*"|[^\s'"])+/g) ?? []
  const end = words.findIndex((word) => /^(?:\||\|\||&&|;|>|>>|<)/.test(word) || word.endsWith(';'))
  return (end === -1 ? words : words.slice(0, end + (words[end]?.endsWith(';') ? 1 : 0))).map((word) =>
    word.replace(/;$/, ''),
  )
}

/** Returns what is wrong with a line: a command or an option that does not exist. */
function faultsOf(program: Command, line: string): readonly string[] {
  let commands: readonly Command[] = [program]
  const faults: string[] = []
  let isValue = false
  for (const word of wordsOf(line).slice(1)) {
    if (isValue) isValue = false
    else if (word.startsWith('-')) isValue = readOption(program, commands, word, faults)
    else if (commands.every((one) => one.commands.length > 0)) commands = readCommand(commands, word, faults)
    if (commands.length === 0) break
  }
  return faults
}

/** Returns the commands that a word names, and adds a fault for each that there is none of. */
function readCommand(commands: readonly Command[], word: string, faults: string[]): readonly Command[] {
  return word.split('|').flatMap((name) => {
    const found = findIn(commands, name)
    if (found.length === 0) faults.push(`no command '${name}'`)
    return found
  })
}

function findIn(commands: readonly Command[], name: string): readonly Command[] {
  return commands.flatMap((one) => one.commands.filter((each) => each.name() === name))
}

/** Adds a fault for an option that none of the commands has. Returns true if its value is the next word. */
function readOption(program: Command, commands: readonly Command[], word: string, faults: string[]): boolean {
  const [name = ''] = word.split('=')
  if (['--help', '-h', '--version'].includes(name)) return false
  const known = [...commands.flatMap(leavesOf), program].flatMap(({ options }) => options)
  const option = known.find(({ long, short }) => long === name || short === name)
  if (option === undefined) faults.push(`no option ${name} of '${commands.map(pathOf).join(', ')}'`)
  return option !== undefined && option.required && !word.includes('=')
}

describe('the lines of roost in the documents', () => {
  let program: Command
  beforeAll(async () => {
    program = await everyCommand()
  })

  it.each(pages)('%s names commands and options that exist', (page) => {
    const faults = linesOf(page).flatMap((line) => faultsOf(program, line).map((fault) => `${line.trim()}: ${fault}`))
    expect(faults).toEqual([])
  })

  it('are found, in blocks and in sentences', () => {
    expect(linesOf('operate.md').length).toBeGreaterThan(60)
    expect(pages.flatMap(linesOf).length).toBeGreaterThan(80)
  })

  it.each([
    ['roost nodes list', "no command 'nodes'"],
    ['roost alert silence stop 3', "no command 'stop'"],
    ['roost explain capacity|weather prod', "no command 'weather'"],
    ['roost node list --al', "no option --al of 'node list'"],
    ['roost --context lab node lst', "no command 'lst'"],
    ['roost key create alice --tll 90d', "no option --tll of 'key create'"],
  ])('would be refused: %s', (line, fault) => {
    expect(faultsOf(program, line)).toEqual([fault])
  })
})
