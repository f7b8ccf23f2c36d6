import { readFile, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { alertPage } from '@roost/api-types/rest'
import type { FastifyInstance } from 'fastify'

const folder = join(import.meta.dirname, '../../../assets/alerts')

/** Serves the page of each alert at its `doc`, as the Markdown that it is written in. */
export async function mountAlertPages(app: FastifyInstance): Promise<void> {
  for (const file of await readdir(folder)) {
    const page = await readFile(join(folder, file), 'utf8')
    app.get(alertPage(file.replace(/\.md$/, '')), { schema: { hide: true } }, async (_, reply) =>
      reply.type('text/plain; charset=utf-8').header('cache-control', 'no-cache').send(page),
    )
  }
}
