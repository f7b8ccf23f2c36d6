import { existsSync, readFileSync } from 'node:fs'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import type { Plugin } from 'vite'

/** Smaller files gain nothing. */
const leastBytes = 512

/** Writes `.br` and `.gz` beside each file, after the last change that Vite makes to it: the server compresses nothing. */
export function precompress(): Plugin {
  return {
    name: 'precompress',
    apply: 'build',
    async writeBundle({ dir = 'dist/site' }) {
      for (const name of await readdir(dir, { recursive: true })) {
        if (!/\.(?:js|css|svg)$/.test(name)) continue
        const bytes = await readFile(join(dir, name))
        if (bytes.length < leastBytes) continue
        const params = { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY }
        await writeFile(join(dir, `${name}.br`), brotliCompressSync(bytes, { params }))
        await writeFile(join(dir, `${name}.gz`), gzipSync(bytes, { level: 9 }))
      }
    },
  }
}

/** Writes the folders of the packages that are in the bundle, for the licenses and the parts list of a release. */
export function listPackages(): Plugin {
  return {
    name: 'list-packages',
    apply: 'build',
    async writeBundle({ dir = 'dist/site' }, bundle) {
      const modules = Object.values(bundle).flatMap((file) => (file.type === 'chunk' ? file.moduleIds : []))
      const folders = modules.flatMap((id) => packageFolder(id.split('?', 1)[0] ?? id) ?? [])
      // A style refers to it, so that it is no module.
      folders.push(join(import.meta.dirname, 'node_modules/@fontsource-variable/inter'))
      const paths = new Set(folders.map((folder) => relative(import.meta.dirname, folder)))
      paths.delete('')
      await writeFile(join(dir, '../packages.json'), `${JSON.stringify([...paths].toSorted(), null, 1)}\n`)
    },
  }
}

function packageFolder(file: string): string | undefined {
  for (let folder = dirname(file); folder !== dirname(folder); folder = dirname(folder)) {
    const manifest = join(folder, 'package.json')
    // A manifest without a name only says how the modules of a folder are written.
    if (existsSync(manifest) && 'name' in (JSON.parse(readFileSync(manifest, 'utf8')) as object)) return folder
  }
  return undefined
}

/** Writes the list of screens, whose paths the server answers with the page. */
export function listScreens(screens: readonly string[]): Plugin {
  return {
    name: 'list-screens',
    apply: 'build',
    async writeBundle({ dir = 'dist/site' }) {
      await writeFile(join(dir, '../screens.json'), `${JSON.stringify(screens)}\n`)
    },
  }
}
