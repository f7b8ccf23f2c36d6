import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { z } from 'zod'

/** The console as its build left it. */
export interface Site {
  /** The folder of the files that it consists of. */
  readonly folder: string
  /** The page, whose addresses are relative to the root of the console. */
  readonly page: string
  /** The first parts of the paths of its screens, such as `nodes`. */
  readonly screens: readonly string[]
}

const Screens = z.array(z.string().regex(/^[a-z]+$/))

/** Reads the console from the package `@roost/console`. */
export async function readSite(): Promise<Site> {
  const home = dirname(createRequire(import.meta.url).resolve('@roost/console/package.json'))
  const folder = join(home, 'dist/site')
  const [page, screens] = await Promise.all([
    readFile(join(folder, 'index.html'), 'utf8'),
    readFile(join(home, 'dist/screens.json'), 'utf8'),
  ])
  return { folder, page, screens: Screens.parse(JSON.parse(screens)) }
}
