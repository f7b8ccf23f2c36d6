import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { repository } from './version.js'

const folder = join(repository, 'deploy/packaging')

/** Returns a file of deploy/packaging with the values of this package for its `@NAMES@`, the files that it includes among them. */
export function readTemplate(path, { name, version, meta, arch = '', sizeKb = 0, files = [], hasScripts = true }) {
  const values = {
    NAME: name,
    VERSION: version,
    ARCHITECTURE: arch,
    SIZE_KB: String(sizeKb),
    SUMMARY: meta.summary,
    DESCRIPTION: meta.description.join(path === 'control' ? '\n ' : '\n'),
    RELATIONS_DEB: meta.deb.join('\n'),
    RELATIONS_RPM: meta.rpm.join('\n'),
    FILES: files.join('\n'),
  }
  const included = {
    KEEP: 'keep.sh',
    FUNCTIONS: 'functions.sh',
    PURGE: `${name}/purge.sh`,
    SCRIPTLETS: hasScripts ? 'scriptlets' : undefined,
  }
  const valueOf = (key) => (key in included ? fill(readFile(included[key]), valueOf) : values[key])
  return fill(readFile(path), valueOf)
}

function readFile(path) {
  const file = path && join(folder, path)
  return file && existsSync(file) ? readFileSync(file, 'utf8') : ''
}

function fill(text, valueOf) {
  return text.replaceAll(/@([A-Z_]+)@/g, (_all, key) => {
    const value = valueOf(key)
    if (value === undefined) throw new Error(`deploy/packaging has no value for @${key}@.`)
    return value.trimEnd()
  })
}
