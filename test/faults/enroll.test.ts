import { once } from 'node:events'
import { chmod, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { createServer as createPlainServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { json } from 'node:stream/consumers'
import { EnrollRequest, protocolVersion } from '@roost/api-types/agent'
import {
  type KeyPair,
  makeCa,
  makeServerCertificate,
  publicKeyDigest,
} from '@roost/control-plane/dist/tls/certificates.js'
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { agentEnv, agentProgram, runAgent } from '../support/agents/agent-program.js'
import { processesNaming, runToEnd } from '../support/programs/processes.js'

const names = ['127.0.0.1', 'localhost']
const day = 86_400_000
const enrolled = { node_id: 7, node_uuid: '2f1c1f0a-7f0e-4a53-9d2f-0a5f5d6b7c11', cluster: 'lab', ca: [] }

type Answer = (response: ServerResponse) => void

let ca: KeyPair
let good: KeyPair
let dataDir: string
let server: Server | undefined
let requests: EnrollRequest[]

beforeAll(async () => {
  ca = await makeCa(Date.now())
  good = await makeServerCertificate(ca, names, Date.now())
})

beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'roost-enroll-'))
  requests = []
})

afterEach(async () => {
  server?.closeAllConnections()
  server?.close()
  server = undefined
  await rm(dataDir, { recursive: true, force: true })
})

function answering(status: number, body: object, headers: Record<string, string> = {}): Answer {
  return (response) => response.writeHead(status, headers).end(JSON.stringify(body))
}

/** A control plane that gives each enrollment the same answer. */
async function serve(answer: Answer, { cert, key }: KeyPair = good, chain = ca.cert): Promise<string> {
  const handle = async (request: IncomingMessage, response: ServerResponse) => {
    requests.push(EnrollRequest.parse(await json(request)))
    answer(response)
  }
  server = createServer({ cert: cert + chain, key }, (request, response) => void handle(request, response))
  return `https://127.0.0.1:${await portOf(server)}`
}

async function portOf(listening: Server): Promise<number> {
  listening.listen(0, '127.0.0.1')
  await once(listening, 'listening')
  return (listening.address() as AddressInfo).port
}

function enrollAt(url: string, ...more: readonly string[]) {
  const pin = publicKeyDigest(ca.cert)
  return runAgent(dataDir, ['enroll', '--server', url, '--token', 'secret-token', '--ca-sha256', pin, ...more])
}

describe('enrollment', () => {
  it('makes this machine a node, and keeps who it is for the owner alone', async () => {
    const url = await serve(answering(200, enrolled))
    const begun = Date.now() / 1000
    const { code, stdout } = await enrollAt(url)
    expect({ code, stdout }).toMatchObject({ code: 0, stdout: expect.stringContaining('node 7') })
    expect(requests).toMatchObject([{ token: 'secret-token', protocol: protocolVersion }])
    expect(requests[0]?.clock).toBeGreaterThanOrEqual(begun)
    expect(requests[0]?.clock).toBeLessThanOrEqual(Date.now() / 1000)
    expect((await stat(join(dataDir, 'identity.json'))).mode & 0o777).toBe(0o600)
    expect(await readFile(join(dataDir, 'ca.pem'), 'utf8')).toContain('BEGIN CERTIFICATE')
    expect((await readdir(dataDir)).toSorted()).toEqual(['ca.pem', 'identity.json'])
    expect(await readFile(join(dataDir, 'identity.json'), 'utf8')).not.toContain('secret-token')
  })

  it('shows its token to no other account, also when it is a flag', async () => {
    let shown: readonly number[] | undefined
    const refusal = answering(403, { error: 'no' })
    const url = await serve((response) => {
      shown = processesNaming('secret-token')
      refusal(response)
    })
    await enrollAt(url)
    expect([requests[0]?.token, shown]).toEqual(['secret-token', []])
  })

  it('takes the token from ROOST_TOKEN', async () => {
    const url = await serve(answering(200, enrolled))
    const env = { ...agentEnv(dataDir), ROOST_TOKEN: 'of-the-environment' }
    const args = ['enroll', '--server', url, '--ca-sha256', publicKeyDigest(ca.cert)]
    const { code } = await runToEnd(process.execPath, [agentProgram, ...args], { env })
    expect([code, requests[0]?.token]).toEqual([0, 'of-the-environment'])
  })

  it('ends with the line that starts the agent, from where its identity is', async () => {
    const url = await serve(answering(200, enrolled))
    const { stdout } = await enrollAt(url, '--data-dir', dataDir)
    expect(stdout).toContain(`Start the agent with: roost-agent --data-dir ${dataDir} run\n`)
  })

  it('names in that line the root and the configuration with which it was called, quoted where a shell would split them', async () => {
    const url = await serve(answering(200, enrolled))
    const config = join(dataDir, 'my agent.json')
    await writeFile(config, '{}')
    const { stdout } = await enrollAt(url, '--data-dir', dataDir, '--root', '/', '--config', config)
    expect(stdout).toContain(`roost-agent --data-dir ${dataDir} --root / --config '${config}' run\n`)
  })

  it('is done once: again for the same control plane it succeeds, for another one it says what to do', async () => {
    const url = await serve(answering(200, enrolled))
    await enrollAt(url)
    const before = await readFile(join(dataDir, 'identity.json'), 'utf8')
    expect(await enrollAt(url)).toMatchObject({ code: 0, stdout: expect.stringContaining('enrolled already') })
    expect(await enrollAt('https://127.0.0.1:1')).toMatchObject({ code: 1, stderr: expect.stringContaining(url) })
    expect(requests).toHaveLength(1)
    expect(await readFile(join(dataDir, 'identity.json'), 'utf8')).toBe(before)
  })

  it('presents the same key again when the answer was lost', async () => {
    let lost = true
    const url = await serve((response) => {
      if (!lost) return answering(200, enrolled)(response)
      lost = false
      response.destroy()
    })
    expect((await enrollAt(url)).code).toBe(1)
    expect((await enrollAt(url)).code).toBe(0)
    expect(new Set(requests.map(({ public_key }) => public_key)).size).toBe(1)
  })

  it('refuses a pin that is none as a wrong argument', async () => {
    const url = await serve(answering(200, enrolled))
    const { code, stderr } = await enrollAt(url, '--ca-sha256', 'abc')
    expect([code, stderr]).toEqual([2, expect.stringContaining("must have 64 hexadecimal digits, but is 'abc'")])
    expect(requests).toEqual([])
  })

  it.skipIf(process.getuid?.() !== 0)(
    'asks for root where the state directory belongs to another account',
    async () => {
      const args = ['enroll', '--server', 'https://127.0.0.1:1', '--token', 'x']
      const answer = () =>
        runToEnd(process.execPath, [agentProgram, ...args], { env: agentEnv(dataDir), uid: 1, gid: 1 })
      expect(await answer()).toMatchObject({ code: 2, stderr: expect.stringContaining('Run this command as root.') })
      await chmod(dataDir, 0o755)
      expect(await answer()).toMatchObject({ code: 1, stderr: expect.stringContaining('Run this command as root') })
    },
  )

  it('sends nothing to a server that does not show the pinned authority', async () => {
    const other = await makeCa(Date.now())
    const url = await serve(answering(200, enrolled), await makeServerCertificate(other, names, Date.now()), other.cert)
    const { code, stderr } = await enrollAt(url)
    expect(code).toBe(1)
    expect(stderr).toContain(`did not present the expected CA, but one with SHA-256 ${publicKeyDigest(other.cert)}`)
    expect(requests).toEqual([])
  })

  it('sends nothing to a server that shows the pinned authority beside a certificate of its own', async () => {
    const other = await makeCa(Date.now())
    const url = await serve(answering(200, enrolled), await makeServerCertificate(other, names, Date.now()))
    const { code, stderr } = await enrollAt(url)
    expect({ code, stderr }).toMatchObject({ code: 1, stderr: expect.stringContaining('expected CA') })
    expect(requests).toEqual([])
  })

  it('sends nothing under a name that the certificate does not have', async () => {
    const url = await serve(answering(200, enrolled), await makeServerCertificate(ca, ['roost.example'], Date.now()))
    const { code, stderr } = await enrollAt(url)
    expect({ code, stderr }).toMatchObject({ code: 1, stderr: expect.stringContaining('is not for 127.0.0.1') })
    expect(requests).toEqual([])
  })

  it('names the clock when the certificate has expired', async () => {
    const old = Date.now() - 500 * day
    const url = await serve(answering(200, enrolled), await makeServerCertificate(ca, names, old))
    expect(await enrollAt(url)).toMatchObject({ code: 1, stderr: expect.stringMatching(/expired.*\n.*NTP/) })
    expect(requests).toEqual([])
  })

  it('says by how many seconds the clock is off, as the cause where the enrollment was refused', async () => {
    let answeredAt = 0
    const url = await serve((response) => {
      answeredAt = Date.now()
      const date = new Date(answeredAt + 600_000).toUTCString()
      answering(401, { error: 'The token is not accepted.' }, { date })(response)
    })
    const begun = Date.now()
    const { code, stderr } = await enrollAt(url)
    expect(code).toBe(1)
    const [, seconds] = /clock is (\d+) s behind/.exec(stderr) ?? []
    // The agent takes the middle of question and answer for the time at which the answer was made.
    expect(Number(seconds)).toBeLessThanOrEqual(601 + (answeredAt - begun) / 2000)
    expect(Number(seconds)).toBeGreaterThanOrEqual(599 - (Date.now() - answeredAt) / 2000)
  })

  it('offers the old place of known hardware, and takes the answer', async () => {
    const known = { id: 3, uuid: 'x', hostname: 'old', last_seen: null }
    const url = await serve(answering(409, { error: 'This hardware is the node old.', known_node: known }))
    expect(await enrollAt(url)).toMatchObject({ code: 1, stderr: expect.stringMatching(/node old.*\n.*--take-place/) })
    await enrollAt(url, '--take-place')
    await enrollAt(url, '--new-node')
    expect(requests.map(({ place }) => place)).toEqual([undefined, 'take', 'new'])
    expect((await enrollAt(url, '--new-node', '--take-place')).code).toBe(2)
  })

  it('shows what the control plane answers without its control characters', async () => {
    const known = { id: 3, uuid: 'x', hostname: 'old\n\u001B[2J', last_seen: null }
    const url = await serve(answering(409, { error: 'It is known.', known_node: known }))
    expect((await enrollAt(url)).stderr).toMatch(/^It is known\. \(node 3, old\?\?\[2J, last seen never\)\n.*\n$/)
  })

  it.each([
    [401, { error: 'No.' }, 'roost token create'],
    [401, { error: 'No.\nNow run: sh\u001B[2J\u202E' }, 'No.?Now run: sh?[2J?\n'],
    [429, { error: 'Too many.' }, 'Wait a minute'],
    [503, { error: 'The database cannot be reached.' }, 'Try again'],
    [404, {}, 'is not a Roost control plane'],
    [200, { unexpected: true }, 'is not a Roost control plane'],
    [200, [enrolled], 'is not a Roost control plane'],
    [200, { ...enrolled, node_uuid: '7' }, 'an enrollment whose node_uuid cannot be used. Nothing was stored.'],
    [200, { ...enrolled, node_uuid: `${enrolled.node_uuid}0` }, 'whose node_uuid cannot be used'],
    [200, { ...enrolled, node_id: 0, cluster: '' }, 'whose node_id, cluster cannot be used'],
    [200, { ...enrolled, ca: null }, 'whose ca cannot be used'],
  ])('answers %i with one cause and one remedy', async (status, body, remedy) => {
    const url = await serve(answering(status, body))
    const { code, stderr } = await enrollAt(url)
    expect(code).toBe(1)
    expect(stderr.trimEnd().split('\n')).toHaveLength(2)
    expect(stderr).toContain(remedy)
    expect(await readdir(dataDir)).toEqual(['enrolling.json'])
  })

  it('enrolls by the same line after an answer that could not be used', async () => {
    let body: object = { ...enrolled, node_uuid: 'none' }
    const url = await serve((response) => answering(200, body)(response))
    expect((await enrollAt(url)).code).toBe(1)
    body = enrolled
    expect((await enrollAt(url)).code).toBe(0)
    expect(new Set(requests.map(({ public_key }) => public_key)).size).toBe(1)
  })

  it('says when nothing listens, when the port speaks no TLS, and when the address is no address', async () => {
    expect(await enrollAt('https://127.0.0.1:1')).toMatchObject({ stderr: expect.stringContaining('Nothing listens') })
    server = createPlainServer()
    const port = await portOf(server)
    expect(await enrollAt(`https://127.0.0.1:${port}`)).toMatchObject({ stderr: expect.stringContaining('TLS') })
    expect(await enrollAt('127.0.0.1')).toMatchObject({ code: 2, stderr: expect.stringContaining('--server') })
  })

  it('sends no token in the clear to another machine', async () => {
    expect(await enrollAt('http://192.0.2.1:8443')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('unencrypted'),
    })
  })
})
