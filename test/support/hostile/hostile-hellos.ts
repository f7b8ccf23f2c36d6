import { sign } from 'node:crypto'
import { type Hello, helloText, protocolVersion } from '@roost/api-types/agent'
import { WebSocket } from 'ws'
import type { SimulatedIdentity } from '../agents/simulated-identity.js'
import { type Json, partsOf, sampleOf, textWith } from './hostile-values.js'
import { agentSchemas } from './protocol-schemas.js'

export interface HelloTarget {
  readonly url: string
  readonly ca: string
  /** Of 127.0.0.0/8: refused hellos are counted by address. */
  readonly from: string
}

type Path = ReturnType<typeof partsOf>[number]

/** Returns the code with which the control plane ends a session after this hello; undefined where it is welcomed. */
export async function answerTo(target: HelloTarget, helloOf: (nonce: string) => string): Promise<number | undefined> {
  const { url, ca, from } = target
  const socket = new WebSocket(`${url.replace(/^http/, 'ws')}/agent/v1/stream`, { ca, localAddress: from })
  const answer = await new Promise<number | undefined>((resolve, reject) => {
    socket.on('error', reject)
    socket.on('close', (code: number) => resolve(code))
    socket.on('message', (data: Buffer) => {
      const message = JSON.parse(data.toString()) as { readonly type: string; readonly nonce: string }
      if (message.type === 'challenge') socket.send(helloOf(message.nonce))
      if (message.type === 'welcome') resolve(undefined)
    })
  })
  socket.terminate()
  return answer
}

const schema = agentSchemas.find(({ name }) => name === 'hello')?.schema ?? {}

const sample = ({ uuid }: Pick<SimulatedIdentity, 'uuid'>): Readonly<Record<string, Json>> => ({
  ...(sampleOf(schema, {
    node_uuid: uuid,
    machine_id: `machine-${uuid}`,
    boot_id: `boot-${uuid}`,
    protocol: protocolVersion,
    clock: Date.now() / 1000,
  }) as object),
})

/** All parts of a hello, and itself. */
export const helloParts: readonly Path[] = partsOf(sample({ uuid: '' }))

/** Returns a hello with another value for one of its parts. Where the value may be valid it is signed, so that it is read further. */
export function helloWith({ uuid, privateKey }: SimulatedIdentity, nonce: string, path: Path, value: Json): string {
  const hello = sample({ uuid })
  const isPlain = typeof value !== 'object' && path.length > 0
  const signed = isPlain ? (JSON.parse(textWith(hello, path, value)) as Json) : hello
  const signature = sign(null, Buffer.from(helloText(nonce, signed as unknown as Hello)), privateKey)
  return textWith({ ...hello, signature: signature.toString('base64') }, path, value)
}
