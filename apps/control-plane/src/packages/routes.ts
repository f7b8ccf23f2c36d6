import { open } from 'node:fs/promises'
import type { FileHandle } from 'node:fs/promises'
import { RoostError } from '@roost/api-types/rest'
import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { version } from '../lifecycle/version.js'
import { describeRefusals } from '../http/dialect/answers.js'
import { limitByAddress } from '../http/guards/address-limit.js'
import { installScript } from './install-script.js'
import type { InstallSettings } from './install-script.js'
import { agentPackages } from './list.js'
import type { Packages } from './list.js'

/** By address: a program that installs a whole cluster comes from one, behind NAT. */
const requestsPerMinute = 120

export interface PackageRouteOptions {
  readonly packages: Packages
  /** Returns what the script is to know of this server. */
  readonly settings: () => Omit<InstallSettings, 'packages'>
  /** Monotonic milliseconds. */
  readonly now: () => number
}

const scriptSchema = {
  tags: ['install'],
  summary: 'The script that installs the agent on a new node; `roost token create` prints the line that runs it',
  response: {
    200: { description: 'The script', content: { 'text/x-shellscript': { schema: z.string() } } },
    ...describeRefusals([429, 500]),
  },
}

const packageSchema = {
  tags: ['install'],
  summary: 'A package of the agent',
  params: z.object({ name: z.string().describe('The name of its file') }),
  response: {
    200: { description: 'The package', content: { 'application/octet-stream': { schema: z.string() } } },
    ...describeRefusals([404, 429, 500]),
  },
}

/** `/install.sh` and `/packages/<name>`: for nodes that have no credentials yet. */
export function mountPackages(app: FastifyInstance, { packages, settings, now }: PackageRouteOptions): void {
  const onRequest = limitByAddress(requestsPerMinute, now)
  const config = { public: true }

  app.get('/install.sh', { config, schema: scriptSchema, onRequest }, async (_request, reply) => {
    const offered = agentPackages(await packages.list(), version)
    // It has the time.
    reply.header('cache-control', 'no-store').type('text/x-shellscript; charset=utf-8')
    return reply.send(installScript({ ...settings(), packages: offered }))
  })

  app.get<{ Params: { name: string } }>(
    '/packages/:name',
    { config, schema: packageSchema, onRequest },
    async ({ params: { name } }, reply) => {
      const { handle, bytes } = await openPackage(packages, name)
      reply.header('content-length', bytes).type('application/octet-stream')
      return reply.send(handle.createReadStream())
    },
  )
}

/** Opens a package that is listed: no other file of a folder is served. */
async function openPackage(
  packages: Packages,
  name: string,
): Promise<{ readonly handle: FileHandle; readonly bytes: number }> {
  const found = (await packages.files()).find(({ file }) => file === name)
  if (found === undefined) throw new RoostError('not_found', `There is no package ${name}.`)
  const handle = await open(found.path)
  return { handle, bytes: (await handle.stat()).size }
}
