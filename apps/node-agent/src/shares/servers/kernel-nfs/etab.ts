import { exportsFormat } from './format.js'

/** Parses what nfs-utils exports now, from `/var/lib/nfs/etab`: options by path and client. */
export type Etab = ReadonlyMap<string, ReadonlyMap<string, ReadonlySet<string>>>

export function parseEtab(text: string): Etab {
  const exports = new Map<string, Map<string, Set<string>>>()
  for (const line of text.split('\n')) {
    const [, path, host, options] = /^(\S+)\t(.*)\(([^()]*)\)$/.exec(line) ?? []
    if (path === undefined || host === undefined || options === undefined) continue
    const clients = exports.get(path) ?? new Map<string, Set<string>>()
    exports.set(path, clients.set(host, new Set(options.split(','))))
  }
  return exports
}

/** Returns a sentence for each difference between the exports below our folder and the text. */
export function differencesFrom(etab: Etab, text: string, isOurs: (path: string) => boolean): readonly string[] {
  const expected = exportsFormat.parse(text)
  const paths = new Set(expected.map(({ path }) => path))
  const stray = [...etab.keys()].filter((path) => isOurs(path) && !paths.has(path))
  return [
    ...stray.map((path) => `${path} is exported, but should not be.`),
    ...expected.flatMap(({ path, clients }) => {
      const exported = etab.get(path)
      if (exported === undefined) return [`${path} is not exported.`]
      const named = new Set(clients.map(({ host }) => host))
      const more = [...exported.keys()].filter((host) => !named.has(host) && !isName(host))
      const less = clients.filter(({ host, options }) => !isExportedTo(exported, host, options))
      return [
        ...more.map((host) => `${path} is exported to ${host}, which is not intended.`),
        ...less.map(({ host }) => `${path} is not exported to ${host} as intended.`),
      ]
    }),
  ]
}

/** Says whether a host is exported; its name may be there as the name server has it. */
function isExportedTo(exported: ReadonlyMap<string, ReadonlySet<string>>, host: string, options: readonly string[]) {
  const found = exported.get(host)
  if (found !== undefined) return options.every((option) => found.has(option))
  return isName(host) && [...exported.keys()].some(isName)
}

function isName(host: string): boolean {
  return /^[A-Za-z0-9][A-Za-z0-9.-]*$/.test(host) && !/^[0-9.]+$/.test(host)
}
