import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type KeyPair, makeCa, makeServerCertificate } from '@roost/control-plane/dist/tls/certificates.js'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { ScriptedControlPlane } from '../support/agents/scripted-control-plane.js'
import { SimulatedClock } from '../support/clock/simulated-clock.js'
import { enrolledState, startTestAgent, type TestAgent } from '../support/agents/test-agent.js'

const minute = 60_000

let clock: SimulatedClock
let first: KeyPair
let second: KeyPair
let state: Awaited<ReturnType<typeof enrolledState>>
let server: ScriptedControlPlane
let agent: TestAgent
let port = 0

beforeEach(async () => {
  clock = new SimulatedClock()
  first = await makeCa(Date.now())
  second = await makeCa(Date.now())
  server = await serve(first)
  port = server.port
  state = await enrolledState(`https://127.0.0.1:${port}`, [first.cert])
  server.script.publicKey = state.identity.publicKey
  agent = await startTestAgent({ dataDir: state.dataDir, clock })
})

afterEach(async () => {
  const stopped = agent.agent.stop()
  await clock.advance(10_000)
  await stopped
  await server.stop()
  await state.remove()
  port = 0
})

async function serve(authority: KeyPair): Promise<ScriptedControlPlane> {
  const { cert, key } = await makeServerCertificate(authority, ['127.0.0.1'], Date.now())
  return ScriptedControlPlane.start(
    { clock: () => clock.now() / 1000 },
    { port, tls: { cert: cert + authority.cert, key } },
  )
}

/** The same control plane, started again with a certificate of this authority. */
async function restart(authority: KeyPair): Promise<void> {
  const { script } = server
  await server.stop()
  server = await serve(authority)
  Object.assign(server.script, script)
}

async function kept(): Promise<string> {
  return (await readFile(join(state.dataDir, 'ca.pem'), 'utf8')).replaceAll(/\s/g, '')
}

function bare(...pairs: readonly KeyPair[]): string {
  return pairs.map(({ cert }) => cert.replaceAll(/\s/g, '')).join('')
}

it('learns the next authority from the current one, and needs no operator for the change', async () => {
  server.script.settings = { ca: [first.cert, second.cert] }
  await clock.advanceUntil(() => server.frames.length > 0, minute)
  await expect.poll(kept).toBe(bare(first, second))
  server.script.settings = { ca: [second.cert] }
  await restart(second)
  await clock.advanceUntil(() => server.frames.length > 0, minute)
  await expect.poll(kept).toBe(bare(second))
})

it('says nothing to a server of an authority that it does not know, and keeps trying', async () => {
  await clock.advanceUntil(() => server.frames.length > 0, minute)
  await restart(second)
  await clock.advance(5 * minute)
  expect(server.hellos).toEqual([])
  expect(agent.statuses.join()).toContain('certificate')
  await restart(first)
  await clock.advanceUntil(() => server.frames.length > 0, minute)
})

it.each([
  ['without the present one', () => [second.cert]],
  ['that cannot be read', () => ['-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n']],
  ['that is empty', () => []],
])('does not take over a list of authorities %s', async (_, ca) => {
  server.script.settings = { ca: ca() }
  await clock.advanceUntil(() => server.frames.length > 0, minute)
  await clock.advance(minute)
  expect(await kept()).toBe(bare(first))
  await restart(first)
  await clock.advanceUntil(() => server.frames.length > 0, minute)
})
