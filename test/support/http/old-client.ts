import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { repository } from './control-plane.js'
import type { Reachable } from './control-plane.js'
import { runToEnd } from '../programs/processes.js'

/** One call of ts-resource-tastypie, a public client of the API's predecessor. `walk` follows `meta.next` to the end. */
export interface OldCall {
  readonly resource: string
  readonly verb: 'create' | 'get' | 'update' | 'delete' | 'walk'
  readonly id?: number
  readonly data?: object
}

/** The results of the calls. In a process of its own: the client takes its authority from `NODE_EXTRA_CA_CERTS`. */
export async function runOldClient(
  { url, ca, key }: Pick<Reachable, 'url' | 'ca' | 'key'>,
  calls: readonly OldCall[],
): Promise<readonly ReturnType<typeof JSON.parse>[]> {
  const dir = await mkdtemp(join(tmpdir(), 'roost-old-client-'))
  const caFile = join(dir, 'ca.pem')
  await writeFile(caFile, ca)
  const [user = '', secret = ''] = key.split(':')
  const program = join(repository, 'test/dist/support/http/old-client-program.js')
  const { PATH = '' } = process.env
  const ended = await runToEnd(process.execPath, [program, JSON.stringify({ url, user, key: secret, calls })], {
    env: { PATH, NODE_EXTRA_CA_CERTS: caFile },
  })
  await rm(dir, { recursive: true })
  if (ended.code !== 0) throw new Error(`The client failed: ${ended.stderr || ended.stdout}`)
  return JSON.parse(ended.stdout.trimEnd().split('\n').at(-1) ?? '')
}
