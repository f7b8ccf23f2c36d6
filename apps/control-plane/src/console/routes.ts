import fastifyStatic from '@fastify/static'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { limitByAddress } from '../http/guards/address-limit.js'
import type { Site } from './site.js'

/** A visit needs about fifteen files, and several operators may share an address. */
const requestsPerMinute = 1_200

/** Only files of this server, nothing inline, and no text that becomes HTML or a script. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ')

export interface ConsoleOptions {
  readonly site: Site
  /** Monotonic milliseconds. */
  readonly now: () => number
}

/** What answers with the page of the console. */
export type SendPage = (request: FastifyRequest, reply: FastifyReply) => FastifyReply

/**
 * Returns what sends the page. Its addresses are relative, so that they fit every path below which a proxy serves it:
 * from `/nodes/7` the files are one level up.
 */
export function pageSender({ page }: Site): SendPage {
  return (request, reply) => {
    const path = request.url.split('?', 1)[0] ?? '/'
    const up = '../'.repeat(Math.max(0, path.split('/').length - 2))
    return reply
      .headers({ 'content-security-policy': policy, 'x-frame-options': 'DENY', 'cache-control': 'no-cache' })
      .type('text/html; charset=utf-8')
      .send(up === '' ? page : page.replaceAll('"./', `"${up}`))
  }
}

/** Serves the files of the console, and its page at the paths of its screens. Every other path stays unknown. */
export async function mountConsole(app: FastifyInstance, { site, now }: ConsoleOptions): Promise<void> {
  const send = pageSender(site)
  await app.register(async (scope) => {
    scope.addHook('onRoute', (route) => {
      route.config = { ...route.config, public: true }
      route.schema = { ...route.schema, hide: true }
    })
    scope.addHook('onRequest', limitByAddress(requestsPerMinute, now))
    for (const screen of site.screens) {
      scope.get(`/${screen}`, async (request, reply) => send(request, reply))
      scope.get(`/${screen}/*`, async (request, reply) => send(request, reply))
    }
    await scope.register(serveFiles, { folder: site.folder })
  })
}

/** Each file has a route of its own. The policy of a page means nothing on a file. */
async function serveFiles(scope: FastifyInstance, { folder }: { readonly folder: string }): Promise<void> {
  await scope.register(fastifyStatic, {
    root: folder,
    index: false,
    wildcard: false,
    globIgnore: ['index.html', '**/*.br', '**/*.gz'],
    preCompressed: true,
    cacheControl: false,
    setHeaders(reply, path) {
      void reply.removeHeader('content-security-policy')
      // The names of these files contain a digest of their content.
      void reply.header('cache-control', path.includes('/assets/') ? 'public, max-age=31536000, immutable' : 'no-cache')
    },
  })
}
