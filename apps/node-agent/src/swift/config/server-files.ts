import type { Machine } from '../../machine/machine.js'

/** One configuration of a server: a file, or a folder of pieces, which Swift merges. */
export interface ServerFile {
  readonly path: string
  readonly texts: readonly string[]
}

/** Calls back with what cannot be read; the file counts as empty then. */
type OnFault = (path: string, error: unknown) => void

/** Returns the configurations of instances in the folder `<name>` that has these entries. */
function instancesIn(folder: string, entries: readonly string[]): readonly string[] {
  return entries.filter((entry) => /\.conf(\.d)?$/.test(entry)).map((entry) => `${folder}/${entry}`)
}

/** Returns where a server of this name may have a configuration, each by itself. */
export function configurationPaths(machine: Machine, swiftDirectory: string, name: string): readonly string[] {
  const base = `${swiftDirectory}/${name}`
  return [`${base}.conf`, `${base}.conf.d`, ...instancesIn(base, machine.list(base))]
}

/**
 * Reads the configurations `<name>.conf`, `<name>.conf.d` and those in the folder `<name>`, where a node runs several instances.
 * Answers only those that exist.
 */
export function readServerFiles(
  machine: Machine,
  swiftDirectory: string,
  name: string,
  onFault: OnFault,
): readonly ServerFile[] {
  const attempt = <T>(path: string, read: () => T, otherwise: T): T => {
    try {
      return read()
    } catch (error) {
      onFault(path, error)
      return otherwise
    }
  }
  const list = (path: string): readonly string[] => attempt(path, () => machine.list(path), [])
  const read = (path: string): readonly string[] => {
    const text = attempt(path, () => machine.read(path), undefined)
    return text === undefined ? [] : [text]
  }
  /** Swift reads a folder as one configuration: every `*.conf` in it, in order. */
  const pieces = (folder: string): readonly string[] =>
    list(folder)
      .filter((piece) => piece.endsWith('.conf'))
      .flatMap((piece) => read(`${folder}/${piece}`))
  const base = `${swiftDirectory}/${name}`
  const file = read(`${base}.conf`)
  const folder = pieces(`${base}.conf.d`)
  const one = { path: file.length > 0 ? `${base}.conf` : `${base}.conf.d`, texts: [...file, ...folder] }
  const instances = instancesIn(base, list(base)).map((path) => ({
    path,
    texts: path.endsWith('.d') ? pieces(path) : read(path),
  }))
  return [one, ...instances].filter(({ texts }) => texts.length > 0)
}
