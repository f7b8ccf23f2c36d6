import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { TestApi } from '../http/api.js'
import { repository } from '../http/control-plane.js'
import type { Swift, SwiftNode } from './cluster.js'
import { plainEnv } from './machine.js'
import type { MachineProcess } from './machine.js'
import { enrollmentArguments } from '../agents/enrollment.js'

const agentProgram = join(repository, 'apps/node-agent/bin/roost-agent.js')

/** The real agent on a node of a real Swift. */
export interface SwiftAgent {
  readonly dataDir: string
  /** `failpoints` as `FP` has them, such as `agent.apply.afterRename=exit`. `clockAheadSeconds` sets its clock forward. */
  start(failpoints?: string, clockAheadSeconds?: number): void
  /** Resolves when it has ended by itself. */
  ended(): Promise<void>
  /** What it wrote since it was started last. */
  output(): string
  stop(signal?: NodeJS.Signals): Promise<void>
}

export interface SwiftAgentOptions {
  /** More settings of its configuration file. */
  readonly config?: Readonly<Record<string, object>>
  /** Runs with the rights of its unit on a proxy, as docs/proxies.md has them, instead of as root. */
  readonly isUnprivileged?: boolean
}

/** A module that sets the clock of a process forward. */
function clockAhead(seconds: number): string {
  return `data:text/javascript,const now=Date.now;Date.now=()=>now()+${seconds * 1_000}`
}

/** As the unit with the drop-in for proxies gives it: the account of nobody, the group swift, two capabilities. */
const rightsOfUnit = '+dac_read_search,+kill'
const unprivileged = [
  'setpriv',
  '--reuid=nobody',
  '--regid=nogroup',
  '--groups=swift',
  '--no-new-privs',
  `--inh-caps=${rightsOfUnit}`,
  `--ambient-caps=${rightsOfUnit}`,
  `--bounding-set=-all,${rightsOfUnit}`,
]

/**
 * Enrolls an agent with a token of one use. `start` runs it where the files of its node are at their usual places, with the node's
 * folder as `--root`. The control plane is that of the test, whose port is published into the machine.
 */
export async function addSwiftAgent(
  swift: Swift,
  node: SwiftNode,
  api: TestApi,
  cluster: number,
  { config = {}, isUnprivileged = false }: SwiftAgentOptions = {},
): Promise<SwiftAgent> {
  await swift.publish(Number(new URL(api.url).port))
  const dataDir = join(swift.machine.dir, `${node.name}-agent`)
  await mkdir(dataDir, { mode: 0o700 })
  const settings = { ...config, swift: { addresses: [node.address], ...config.swift } }
  await writeFile(join(dataDir, 'config.json'), JSON.stringify(settings))
  const args = (more: readonly string[]) => [agentProgram, '--data-dir', dataDir, '--root', node.root, ...more]
  const enrollment = await node.run(process.execPath, args(await enrollmentArguments(api, cluster)))
  if (enrollment.code !== 0) throw new Error(`The agent could not enroll: ${enrollment.stderr}`)
  if (isUnprivileged)
    await node.exec(`chown -R nobody:nogroup ${dataDir}
      chown nobody:swift /etc/swift/proxy-server.conf.d && chmod 2750 /etc/swift/proxy-server.conf.d`)
  let machineProcess: MachineProcess | undefined
  return {
    dataDir,
    start(failpoints, clockAheadSeconds = 0) {
      const armed = [
        ...(failpoints === undefined ? [] : ['--conditions=failpoints']),
        ...(clockAheadSeconds === 0 ? [] : ['--import', clockAhead(clockAheadSeconds)]),
      ]
      const env = failpoints === undefined ? {} : { FP: failpoints }
      const command = [process.execPath, ...armed, ...args(['run'])]
      const [file = '', ...rest] = isUnprivileged ? [...unprivileged, ...command] : command
      machineProcess = node.spawn(file, rest, { env: { ...plainEnv, ...env } })
    },
    ended: () => machineProcess?.ended ?? Promise.resolve(),
    output: () => machineProcess?.output() ?? '',
    async stop(signal) {
      await machineProcess?.stop(signal)
    },
  }
}
