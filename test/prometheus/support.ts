import { spawn } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { useFolder } from '../support/programs/folder.js'
import { freePort } from '../support/programs/free-port.js'
import { runToEnd } from '../support/programs/processes.js'

export const hasPrometheus = (await runToEnd('prometheus', ['--version'])).code === 0

/** A vector of a query: labels and value of each series, by the text of its labels. */
export type Vector = readonly { readonly metric: Readonly<Record<string, string>>; readonly value: number }[]

export interface PrometheusServer {
  readonly url: string
  /** Asks for a vector at a time, in Unix seconds. */
  query(expression: string, time: number): Promise<Vector>
  stop(): Promise<void>
}

export interface PrometheusServerOptions {
  readonly config: object
  readonly args?: readonly string[]
}

/** Starts Debian's Prometheus with an empty database. */
export async function startPrometheus({ config, args = [] }: PrometheusServerOptions): Promise<PrometheusServer> {
  const folder = await useFolder('prometheus-server')
  const url = `http://127.0.0.1:${await freePort()}`
  const file = join(folder, 'prometheus.json')
  // JSON is YAML.
  await writeFile(file, JSON.stringify(config))
  const own = [`--config.file=${file}`, `--storage.tsdb.path=${folder}/data`]
  const listen = `--web.listen-address=${new URL(url).host}`
  const server = spawn('prometheus', [...own, listen, ...args], { stdio: 'ignore' })
  const ended = new Promise((resolve) => server.once('exit', resolve))
  return {
    url,
    query: (expression, time) => askVector(url, expression, time),
    async stop() {
      server.kill()
      await ended
    },
  }
}

/** Asks a server with the API of Prometheus for a vector at a time, in Unix seconds. */
export async function askVector(url: string, expression: string, time: number): Promise<Vector> {
  const answer = await fetch(`${url}/api/v1/query?${new URLSearchParams({ query: expression, time: String(time) })}`)
  const { data, error } = (await answer.json()) as QueryAnswer
  if (data === undefined) throw new Error(`${expression}: ${error}`)
  return data.result.map(({ metric, value }) => ({ metric, value: Number(value[1]) }))
}

interface QueryAnswer {
  readonly error?: string
  readonly data?: {
    readonly result: readonly {
      readonly metric: Readonly<Record<string, string>>
      readonly value: readonly [number, string]
    }[]
  }
}
