import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const root = fileURLToPath(new URL('../..', import.meta.url))
const files = (...paths: readonly string[]): readonly string[] =>
  execFileSync('git', ['ls-files', '-co', '--exclude-standard', '--', ...paths], { cwd: root, encoding: 'utf8' })
    .trim()
    .split('\n')
const textOf = (path: string): string => readFileSync(join(root, path), 'utf8')

const programs = files('apps/control-plane/src', 'apps/node-agent/src').filter((path) => !path.endsWith('.test.ts'))
const variables = new Set(programs.flatMap((path) => textOf(path).match(/\bROOST_[A-Z_]*[A-Z]\b/g) ?? []))
const pages = files('README.md', 'docs/*.md').map(textOf).join('\n')

it.each([...variables])('%s, which a program reads, is in the documentation', (name) => {
  expect(new RegExp(`\\b${name}\\b`).test(pages), `Add ${name} to docs/install.md or docs/agent.md`).toBe(true)
})
