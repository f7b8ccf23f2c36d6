import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { createNotifier, systemClock } from '@roost/runtime'
import type { Config } from '../config.js'
import { apiKeyPath } from '../operators/first-operator.js'
import { createLog } from '../lifecycle/log.js'
import { StartError } from '../lifecycle/start-error.js'
import type { RunningServer } from '../context/running-server.js'
import { enrollmentFlags } from './local-node.js'
import type { ServeOptions } from './serve-options.js'
import type { Terminal } from './terminal/terminal.js'
import { superviseAgent } from './run-agent.js'

/** Runs the control plane until the process gets a signal to end. */
export async function serve(config: Config, options: ServeOptions, terminal: Terminal): Promise<void> {
  const log = createLog({ level: config.logLevel, out: terminal.err })
  const notifier = createNotifier({ ...config, clock: systemClock, onFault: (message) => log.warn(message) })
  const server = await options.startServer(config, log, terminal.stopping).catch((error: unknown) => {
    if (!terminal.stopping.aborted) throw error
  })
  if (server === undefined) return
  const agent =
    options.agent === undefined
      ? undefined
      : superviseAgent({
          program: resolve(options.agent),
          dataDir: join(config.dataDir, 'agent'),
          serverUrl: server.localUrl,
          enrollment: () => enrollmentFlags(server),
          log,
        })
  terminal.out.write(startMessage(config, server))
  try {
    await notifier.status(`serving at ${server.publicUrl}`)
    await notifier.ready()
    const lost = await Promise.race([aborted(terminal.stopping), server.databaseLost])
    if (lost !== undefined) throw new StartError(lost.message, { cause: lost })
    log.info('stopping')
    await notifier.stopping()
  } finally {
    await agent?.stop()
    await server.close()
  }
}

/** Returns the URL and the paths of a started server, with a command that tests it. */
function startMessage(config: Config, { localUrl, publicUrl, caPath, postgresVersion }: RunningServer): string {
  const key = apiKeyPath(config.dataDir)
  const trust = caPath === null ? '' : `--cacert ${shellQuoted(caPath)} `
  // Another control plane created the first operator of this database and has its key.
  const isElsewhere = !existsSync(key)
  const credentials = isElsewhere ? 'NAME:KEY' : `$(cat ${shellQuoted(key)})`
  const curl = `curl ${trust}-H "Authorization: apikey ${credentials}" ${shellUrl(localUrl)}`
  const lines = [
    '',
    `Roost is at ${publicUrl}`,
    ...(caPath === null ? [] : [`  CA to trust  ${caPath}`]),
    `  database     PostgreSQL ${postgresVersion}, ${config.databaseUrl === null ? 'embedded: for production, set DATABASE_URL' : 'yours'}`,
    `  first key    ${isElsewhere ? 'is on the machine that first used this database' : key}`,
    '',
    `  ${curl}`,
    '',
    '',
  ]
  return lines.join('\n')
}

function shellUrl(localUrl: string): string {
  const url = `${localUrl.replace('//127.0.0.1:', '//localhost:')}/api/v1/clusters/`
  return url.includes('[') ? `--globoff '${url}'` : url // curl reads brackets as a range
}

function shellQuoted(path: string): string {
  return /^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", String.raw`'\''`)}'`
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((done) => {
    if (signal.aborted) done()
    else signal.addEventListener('abort', () => done(), { once: true })
  })
}
