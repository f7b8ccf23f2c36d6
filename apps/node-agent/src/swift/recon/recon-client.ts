import { get } from 'node:http'
import type { Machine } from '../../machine/machine.js'
import { readSwiftServers } from '../config/storage-servers.js'

/** The address of a storage server of this node. */
export interface ReconAddress {
  readonly host: string
  readonly port: number
}

/** Returns the parsed answer to `GET /recon/<path>`; undefined when no server of this node answers. Never rejects. */
export type AskRecon = (path: string) => Promise<unknown>

export interface ReconClientOptions {
  /** Returns the servers to ask, the most likely first. */
  readonly servers: () => readonly ReconAddress[]
  /** The time limit for one server. */
  readonly deadlineMs?: number
}

const mostBytes = 4 << 20
/** Swift's default ports. */
const usualPorts = { object: 6200, container: 6201, account: 6202 }

/** Reads the storage servers of this node from their configuration; one that listens on every address is asked on loopback. */
export function reconServers(machine: Machine, swiftDirectory: string): readonly ReconAddress[] {
  return readSwiftServers(machine, swiftDirectory).storage.map(({ kind, address, port }) => ({
    host: address ?? '127.0.0.1',
    port: port ?? usualPorts[kind],
  }))
}

/**
 * Asks the recon middleware, which is the same in each storage server: first the server that answered last, then the others.
 */
export function createReconClient({ servers, deadlineMs = 3_000 }: ReconClientOptions): AskRecon {
  let answered = ''
  return async (path) => {
    const inOrder = servers().toSorted((a, b) => Number(keyOf(b) === answered) - Number(keyOf(a) === answered))
    for (const server of inOrder) {
      const answer = await fetchJson(server, path, deadlineMs)
      if (answer === undefined) continue
      answered = keyOf(server)
      return answer
    }
    return undefined
  }
}

/** Asks a storage server of this node for the version of Swift; null when none answers. */
export async function readSwiftVersion(ask: AskRecon): Promise<string | null> {
  const answer = await ask('version')
  const version = typeof answer === 'object' && answer !== null && 'version' in answer ? answer.version : null
  return typeof version === 'string' ? version : null
}

function keyOf({ host, port }: ReconAddress): string {
  return `${host} ${port}`
}

function fetchJson({ host, port }: ReconAddress, path: string, deadlineMs: number): Promise<unknown> {
  return new Promise((resolve) => {
    const signal = AbortSignal.timeout(deadlineMs)
    const options = {
      host,
      port,
      path: `/recon/${path}`,
      headers: { accept: 'application/json' },
      agent: false,
      signal,
    }
    const request = get(options, (response) => {
      let text = ''
      response.setEncoding('utf8')
      response.on('data', (chunk: string) => {
        text += chunk
        if (text.length > mostBytes) request.destroy()
      })
      response.on('error', () => resolve(undefined))
      response.on('close', () => resolve(response.statusCode === 200 && response.complete ? parsed(text) : undefined))
    })
    request.on('error', () => resolve(undefined))
  })
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
