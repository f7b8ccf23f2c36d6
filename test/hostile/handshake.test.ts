import { closeCodes } from '@roost/api-types/agent'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { useAgentLab } from '../support/agents/agent-lab.js'
import { addCluster } from '../support/agents/fleet-rows.js'
import { insertNodes } from '../support/agents/nodes.js'
import { answerTo, helloParts, helloWith } from '../support/hostile/hostile-hellos.js'
import { hostileValues, partsOf, sampleOf, textWith } from '../support/hostile/hostile-values.js'
import { serverSchemas } from '../support/hostile/protocol-schemas.js'
import { startApi, type TestApi } from '../support/http/api.js'
import { expectUnharmed, type HonestFleet, startHonestFleet, stopHonestFleet } from './honest-fleet.js'

describe('a hello with any value in any field', () => {
  let api: TestApi
  let clusterId: number
  let fleet: HonestFleet

  beforeAll(async () => {
    api = await startApi()
    clusterId = await addCluster(api.database, 'shared')
    fleet = await startHonestFleet(api, clusterId)
  })
  afterAll(async () => {
    await stopHonestFleet(fleet)
    await api.stop()
  })

  it.each(helloParts.map((path, field) => [path.join('.') || 'the message', path, field] as const))(
    'of %s is welcomed or refused with a code, harms no other node, and the next honest one is welcomed',
    async (_name, path, field) => {
      const nodes = await insertNodes(api.database, clusterId, hostileValues.length + 1)
      const from = (host: number) => ({ url: api.url, ca: api.ca, from: `127.1.${field}.${host + 1}` })
      for (const [at, value] of hostileValues.entries()) {
        const code = await answerTo(from(at), (nonce) => helloWith(nodeAt(at), nonce, path, value))
        expect([undefined, closeCodes.unauthenticated, closeCodes.needsUpgrade]).toContain(code)
      }
      const last = nodeAt(hostileValues.length)
      expect(await answerTo(from(250), (nonce) => helloWith(last, nonce, ['hostname'], 'honest'))).toBeUndefined()
      await expectUnharmed(
        fleet,
        nodes.map(({ id }) => id),
      )

      function nodeAt(at: number) {
        const node = nodes[at]
        if (node === undefined) throw new Error(`There are only ${nodes.length} nodes.`)
        return node
      }
    },
  )
})

describe('an agent whose control plane challenges it with any value in any field', () => {
  const lab = useAgentLab()
  const schema = serverSchemas.find(({ name }) => name === 'challenge')?.schema ?? {}
  const sample = () => sampleOf(schema, { clock: lab.clock.now() / 1000 })
  const parts = partsOf(sampleOf(schema, {}))

  it.each(parts.map((path) => [path.join('.') || 'the message', path] as const))(
    'of %s dials again each time, and works for an honest one',
    async (_name, path) => {
      const texts = hostileValues.map((value) => textWith(sample(), path, value))
      lab.server.script.challenges.push(...texts)
      await lab.start()
      // Each ends after the agent's 30 s for a welcome or by a refusal, and is followed by a pause of at most 50 s.
      await lab.clock.advanceUntil(() => lab.server.inventories.length > 0, texts.length * 90_000, 5_000)
      expect([lab.server.dialed, lab.server.hellos.length]).toEqual([texts.length + 1, 1])
      expect(lab.server.faults).toEqual([])
      lab.server.sendAll({ type: 'request', id: 'after', kind: 'none', parameters: null })
      await lab.clock.advanceUntil(() => lab.server.answers.some(({ id }) => id === 'after'), 60_000)
    },
  )
})
