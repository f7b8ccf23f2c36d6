import type { FastifyInstance, FastifyRequest } from 'fastify'
import FindMyWay from 'find-my-way'

interface PathEntry {
  /** As it was registered, such as `/api/v1/nodes/:id/`. */
  readonly pattern: string
  readonly methods: Set<string>
}

/** The methods of each path, which Fastify cannot list. */
export interface MethodTable {
  methodsOf(path: string): readonly string[]
  patternOf(path: string): string | undefined
}

/** Remembers every route that is registered after this call. */
export function rememberMethods(app: FastifyInstance): MethodTable {
  const entries = new Map<string, PathEntry>()
  const table = FindMyWay({ ignoreTrailingSlash: true, maxParamLength: 64 * 1024 })
  app.addHook('onRoute', ({ method, url }) => {
    const key = url.length > 1 ? url.replace(/\/$/, '') : url
    const entry = entries.get(key) ?? { pattern: url, methods: new Set<string>() }
    if (!entries.has(key)) table.on('GET', key, () => {}, entry)
    entries.set(key, entry)
    for (const one of [method].flat()) entry.methods.add(one)
  })
  const find = (path: string) => table.find('GET', path)?.store as PathEntry | undefined
  return {
    methodsOf: (path) => [...(find(path)?.methods ?? [])].toSorted(),
    patternOf: (path) => find(path)?.pattern,
  }
}

/** The path of a request without its query. */
export function pathOf(request: FastifyRequest): string {
  return request.url.split('?', 1)[0] ?? '/'
}
