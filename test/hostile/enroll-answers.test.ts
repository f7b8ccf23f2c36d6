import { once } from 'node:events'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  type KeyPair,
  makeCa,
  makeServerCertificate,
  publicKeyDigest,
} from '@roost/control-plane/dist/tls/certificates.js'
import { explain } from '@roost/node-agent/dist/cli/explain.js'
import { createProgram } from '@roost/node-agent/dist/cli/program.js'
import { readIdentity } from '@roost/node-agent/dist/machine/identity.js'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { hostileValues, jsonText, partsOf, sampleOf, textWith } from '../support/hostile/hostile-values.js'
import { enrollmentSchemas, type JsonSchema } from '../support/hostile/protocol-schemas.js'

let ca: KeyPair
let server: Server
let answer = { status: 200, text: '' }
let folder: string
const title = process.title

beforeAll(async () => {
  // An empty machine without programs: reading a real one hundreds of times would only take time.
  vi.stubEnv('PATH', '')
  ca = await makeCa(Date.now())
  const { cert, key } = await makeServerCertificate(ca, ['127.0.0.1'], Date.now())
  server = createServer({ cert: cert + ca.cert, key }, (request, response) => {
    request.resume()
    response.writeHead(answer.status, { 'content-type': 'application/json' }).end(answer.text)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
})
afterAll(() => {
  vi.unstubAllEnvs()
  process.title = title
  server.closeAllConnections()
  server.close()
})
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'roost-enroll-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

/** Enrolls in this process, by the program of the agent: what it prints, and its exit code. */
async function enroll(dataDir: string): Promise<{ readonly code: number; readonly lines: readonly string[] }> {
  const printed: string[] = []
  const print = vi.spyOn(process.stdout, 'write').mockImplementation((text) => printed.push(String(text)) > 0)
  const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`
  const flags = ['--server', url, '--token', 'a-token', '--ca-sha256', publicKeyDigest(ca.cert)]
  const args = ['enroll', ...flags, '--data-dir', dataDir, '--root', folder]
  try {
    let code = -1
    await createProgram((ended) => (code = ended)).parseAsync(args, { from: 'user' })
    return { code, lines: printed.join('').trimEnd().split('\n') }
  } catch (error) {
    const { exitCode: code, lines } = explain(error)
    return { code, lines }
  } finally {
    print.mockRestore()
  }
}

/** It is a node with all that it needs, or has a cause and a remedy, and nothing but the key for another attempt. */
async function expectAllOrNothing(dataDir: string): Promise<void> {
  const { code, lines } = await enroll(dataDir)
  for (const line of lines) expect(line).toMatch(/^[^\p{Cc}\p{Zl}\p{Zp}\u202e]{1,1200}$/u)
  const files = (await readdir(dataDir)).toSorted()
  const isEnrolled = code === 0
  expect([code, lines.length, files]).toEqual(
    isEnrolled ? [0, 1, ['ca.pem', 'identity.json']] : [1, 2, ['enrolling.json']],
  )
  if (isEnrolled) await expectUsable(dataDir)
  const trusted = isEnrolled ? await readFile(join(dataDir, 'ca.pem'), 'utf8') : undefined
  expect([trusted, (await readIdentity(dataDir)) !== undefined]).toEqual(
    isEnrolled ? [ca.cert, true] : [undefined, false],
  )
}

/** The first session of this node would not be refused for what it sends. */
async function expectUsable(dataDir: string): Promise<void> {
  const { node_id: id, node_uuid: uuid, cluster } = (await readIdentity(dataDir))?.enrollment ?? {}
  expect(uuid).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/)
  expect([Number.isInteger(id), (id ?? 0) > 0, cluster]).toEqual([true, true, expect.stringMatching(/./s)])
}

const [, enrolled, conflict] = enrollmentSchemas
const node_uuid = '2f1c1f0a-7f0e-4a53-9d2f-0a5f5d6b7c11'
const sample = (schema: JsonSchema | undefined) => sampleOf(schema ?? {}, { ca: [ca.cert], node_uuid })

describe.each([
  ['an answer', 200, enrolled],
  ['a conflict', 409, conflict],
] as const)('roost-agent enroll that gets %s', (_name, status, named) => {
  it.each(partsOf(sampleOf(named?.schema ?? {}, {})).map((path) => [path.join('.') || 'the body', path] as const))(
    'with any value in %s makes the machine a node, or leaves it as it was and gives the reason',
    async (_part, path) => {
      for (const [at, value] of hostileValues.entries()) {
        answer = { status, text: textWith(sample(named?.schema), path, value) }
        await expectAllOrNothing(join(folder, String(at)))
      }
      answer = { status: 200, text: jsonText(sample(enrolled?.schema)) }
      expect((await enroll(join(folder, '0'))).code).toBe(0)
    },
  )
})
