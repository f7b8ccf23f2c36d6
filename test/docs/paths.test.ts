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

/** `[page, heading]` of each link to a heading; an empty page is the one that links. */
function anchors(text: string): (readonly [string, string])[] {
  return [...text.matchAll(/\]\(([^)#]*)#([^)]+)\)/g)].map(([, page = '', heading = '']) => [page, heading])
}

/** The headings of a page as addresses name them. */
function headings(text: string): readonly string[] {
  const lines = text.replaceAll(/^```.*?^```/gms, '').match(/^#+ .+$/gm) ?? []
  return lines.map((line) =>
    line
      .replace(/^#+ /, '')
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}_ -]/gu, '')
      .replaceAll(' ', '-'),
  )
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

  it.each(pages)('has npm run in %s only programs of packages that we mean', (page) => {
    // The changelog says what was wrong.
    const text = readFileSync(join(root, page), 'utf8').replaceAll(/^.*ran a foreign package.*$/gm, '')
    const calls = text.matchAll(/\b(?:npx|npm (?:exec|x)|pnpm dlx|yarn dlx|bunx) +((?:-\S+ +)*)([^\s`'"]+)/g)
    const names = [...calls].map(([, , name = '']) => name.replace(/@[\d.]+$/, ''))
    expect(names.filter((name) => !['pnpm', 'vitest', 'tsc'].includes(name))).toEqual([])
  })

  it.each(pages)('links from %s to headings that are there', (page) => {
    const read = (target: string) => readFileSync(join(root, target), 'utf8')
    const inside = anchors(read(page)).filter(([target]) => !target.includes('://'))
    const dead = inside.filter(([target, heading]) => {
      const at = target === '' ? page : normalize(join(dirname(page), target))
      return !headings(read(at)).includes(heading)
    })
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
