import { createHash } from 'node:crypto'
import { open, rm, statfs } from 'node:fs/promises'
import { request as plainRequest } from 'node:http'
import type { IncomingMessage } from 'node:http'
import { request as tlsRequest } from 'node:https'
import { dirname } from 'node:path'
import type { AgentPackage } from '@roost/api-types/agent'
import { errorText } from '@roost/runtime'

export interface DownloadOptions {
  /** The address of the control plane. */
  readonly server: string
  /** PEM of the authorities that the agent trusts; none: Node's own. */
  readonly authorities: readonly string[]
  readonly package: AgentPackage
  readonly path: string
  readonly onProgress: (bytes: number) => void
  readonly signal: AbortSignal
}

/** The longest pause of the control plane. */
const stallMs = 30_000

/** Downloads a package and checks its size and digest. Rejects with a sentence, and leaves no file then. */
export async function downloadPackage(options: DownloadOptions): Promise<void> {
  const { path, package: wanted } = options
  try {
    const response = await get(options)
    if (response.statusCode !== 200) {
      response.destroy()
      throw new Error(`the control plane answered with status ${response.statusCode}`)
    }
    await store(response, options)
  } catch (error) {
    await rm(path, { force: true })
    throw new Error(`Cannot download ${wanted.name}: ${await reasonOf(error, path)}.`, { cause: error })
  }
}

function get({ server, authorities, package: { name }, signal }: DownloadOptions): Promise<IncomingMessage> {
  const url = new URL(`/packages/${encodeURIComponent(name)}`, server)
  const options = { agent: false, signal, timeout: stallMs, ...(authorities.length > 0 && { ca: [...authorities] }) }
  return new Promise((resolve, reject) => {
    const request = url.protocol === 'http:' ? plainRequest(url, options) : tlsRequest(url, options)
    request.on('response', resolve)
    request.on('timeout', () => request.destroy(new Error('the control plane stopped sending')))
    request.on('error', reject)
    request.end()
  })
}

async function store(response: IncomingMessage, { package: wanted, path, onProgress }: DownloadOptions): Promise<void> {
  const digest = createHash('sha256')
  // A package that an earlier attempt left.
  await rm(path, { force: true })
  const file = await open(path, 'wx', 0o600)
  try {
    let bytes = 0
    for await (const chunk of response as AsyncIterable<Buffer>) {
      bytes += chunk.length
      if (bytes > wanted.size_bytes) throw new Error('it is larger than announced')
      digest.update(chunk)
      await file.writeFile(chunk)
      onProgress(bytes)
    }
    await file.sync()
  } finally {
    await file.close()
  }
  if (digest.digest('hex') !== wanted.sha256) throw new Error('it has another SHA-256 than announced')
}

async function reasonOf(error: unknown, path: string): Promise<string> {
  const text = errorText(error).replace(/\.$/, '')
  if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') return text
  const { bavail, bsize } = await statfs(dirname(path))
  return `the disk is full (${bavail * bsize} bytes are free in ${dirname(path)})`
}
