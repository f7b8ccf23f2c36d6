import { protocolVersion } from '@roost/api-types/agent'
import type { EnrollRequest, Hardware } from '@roost/api-types/agent'
import { SimulatedAgent } from '../support/agents/simulated-agent.js'
import { newIdentity } from '../support/agents/simulated-identity.js'
import type { NewIdentity } from '../support/agents/simulated-identity.js'

export interface Answer {
  readonly status: number
  readonly body: Readonly<Record<string, unknown>>
  readonly headers: Headers
}

let machines = 0

/** Of a machine that was never seen. */
export function newHardware(): Hardware {
  const name = `m${(machines += 1)}`
  return {
    system_uuid: `${name}-system`,
    disk_serials: [`${name}-a`, `${name}-b`],
    macs: [`${name}-eth0`],
    filesystem_uuids: [`${name}-root`, `${name}-data`],
  }
}

/** Asks as an agent does, with a clock that is right unless `more` has another. */
export async function enrollAt(
  url: string,
  token: string,
  more: Partial<EnrollRequest> = {},
  identity: NewIdentity = newIdentity(),
): Promise<Answer> {
  const body: EnrollRequest = {
    token,
    public_key: Buffer.from(identity.publicKey).toString('base64'),
    hostname: 'storage-1',
    machine_id: `machine-${identity.uuid}`,
    boot_id: 'boot-1',
    agent_version: '0.1.0',
    protocol: protocolVersion,
    clock: Date.now() / 1000,
    hardware: newHardware(),
    ...more,
  }
  const response = await fetch(`${url}/agent/v1/enroll`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  return { status: response.status, body: (await response.json()) as Answer['body'], headers: response.headers }
}

/** How a session ends that is opened with this key for the node of an answer; undefined when it is welcomed. */
export async function endOfSession(
  url: string,
  { privateKey }: NewIdentity,
  uuid: unknown,
): Promise<number | undefined> {
  const agent = new SimulatedAgent({ url, identity: { uuid: String(uuid), privateKey } })
  agent.dial()
  await agent.until(({ welcomed, ended }) => welcomed === 1 || ended !== undefined)
  agent.stop()
  return agent.ended?.code
}
