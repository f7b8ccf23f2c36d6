import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { repository } from './control-plane.js'
import { runToEnd } from './processes.js'

/** What a release left behind: see the README in its folder. */
const folder = join(repository, 'test/fixtures/0.1.0')

/** Unpacks the agent of 0.1.0 into a new folder. Returns its program, a file for Node. */
export async function unpackAgent(dir: string): Promise<string> {
  await mkdir(dir)
  const { code, stderr } = await runToEnd('tar', ['xzf', join(folder, 'agent.tar.gz'), '-C', dir])
  if (code !== 0) throw new Error(`The agent of 0.1.0 could not be unpacked: ${stderr}`)
  return join(dir, 'bin/roost-agent.js')
}
