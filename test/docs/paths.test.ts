import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

const root = fileURLToPath(new URL('../..', import.meta.url))
const pages = execFileSync('git', ['ls-files', '*.md'], { cwd: root, encoding: 'utf8' }).trim().split('\n')
const sources = ['', 'apps/control-plane/src', 'apps/node-agent/src', 'packages/api-types/src']
/** The first folder of a path that the documentation names as one of the repository. */
const folders = new Set(sources.flatMap((source) => readdirSync(join(root, source))))

function links(text: string): string[] {
  return [...text.matchAll(/\]\(([^)#]+?)(?:#[^)]*)?\)/g)].map(([, target = '']) => target)
}

/** `agents/session.ts` and the like; what holds a placeholder, or is a path of the API, is not one. */
function paths(text: string): string[] {
  const named = [...text.matchAll(/`([\w.-]+(?:\/[\w.-]+)*\/[\w.-]+\.(?:ts|js|sh|json|prisma|service|md))`/g)]
  return named.map(([, path = '']) => path).filter((path) => folders.has(path.split('/')[0] ?? ''))
}

describe('the documentation', () => {
  it.each(pages)('links from %s to what is there', (page) => {
    const text = readFileSync(join(root, page), 'utf8')
    const inside = links(text).filter((target) => !target.includes('://'))
    const dead = inside.filter((target) => !existsSync(join(root, normalize(join(dirname(page), target)))))
    expect(dead).toEqual([])
  })

  it.each(pages)('names files in %s that are there', (page) => {
    const dead = paths(readFileSync(join(root, page), 'utf8')).filter(
      (path) => !sources.some((source) => existsSync(join(root, source, path))),
    )
    expect(dead).toEqual([])
  })

  it('gives each decision a number of its own', () => {
    const numbers = readdirSync(join(root, 'docs/adr')).map((name) => name.slice(0, 4))
    expect(numbers).toEqual([...new Set(numbers)])
  })
})
