import { type ChildProcess, spawn } from 'node:child_process'
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestApi } from '../support/api.js'
import { repository } from '../support/control-plane.js'
import { runToEnd } from '../support/processes.js'

const agentProgram = join(repository, 'apps/node-agent/bin/roost-agent.js')
const lab = join(repository, 'apps/node-agent/src/inventory/fixtures/lab')

/** A storage node of the lab's cluster: the real agent below a root that holds the rings and swift.conf. */
export class SwiftNode {
  readonly dir: string
  readonly root: string
  readonly #dataDir: string
  #child: ChildProcess | undefined
  #output = ''

  private constructor(dir: string) {
    this.dir = dir
    this.root = join(dir, 'root')
    this.#dataDir = join(dir, 'agent')
  }

  static async create(address: string, devices: readonly string[]): Promise<SwiftNode> {
    const node = new SwiftNode(await mkdtemp(join(tmpdir(), 'roost-swift-')))
    await cp(lab, node.root, { recursive: true })
    for (const device of devices) await mkdir(join(node.root, 'srv/node', device), { recursive: true })
    await mkdir(node.#dataDir)
    await writeFile(join(node.#dataDir, 'config.json'), JSON.stringify({ swift: { addresses: [address] } }))
    await writeFile(join(node.root, 'etc/hostname'), `store-${address}\n`)
    return node
  }

  get output(): string {
    return this.#output
  }

  #args(...args: readonly string[]): readonly string[] {
    return [agentProgram, '--data-dir', this.#dataDir, '--root', this.root, ...args]
  }

  /** Enrols with a token of one use, by the line that `roost token create` prints. */
  async enrol(api: TestApi, cluster: number): Promise<void> {
    const caller = {
      operatorId: 1,
      operator: 'test',
      role: 'admin',
      keyId: null,
      address: 'local',
      requestId: '',
    } as const
    const { lines } = await api.context.services.tokens.create({ cluster }, caller)
    const flags = (lines[0] ?? '').split(' ').slice(1)
    const { code, stderr } = await runToEnd(process.execPath, this.#args(...flags))
    if (code !== 0) throw new Error(`The node could not enrol: ${stderr}`)
  }

  /** Starts the agent; `prepare` is a shell script that runs before it in a mount namespace of its own. */
  start(prepare?: string): void {
    const command = [process.execPath, ...this.#args('run')]
    const [file = '', ...args] =
      prepare === undefined
        ? command
        : ['unshare', '-m', '--propagation', 'private', 'sh', '-ec', `${prepare}\nexec "$@"`, 'sh', ...command]
    this.#child = spawn(file, args, { stdio: ['ignore', 'pipe', 'pipe'], cwd: this.dir })
    for (const stream of [this.#child.stdout, this.#child.stderr])
      stream?.on('data', (chunk) => (this.#output += String(chunk)))
  }

  /** Runs a shell script among the agent's mounts, in the node's folder. */
  async within(script: string): Promise<void> {
    const pid = String(this.#child?.pid)
    const args = ['-t', pid, '-m', 'sh', '-ec', `cd ${this.dir}\n${script}`]
    const { code, stderr } = await runToEnd('nsenter', args)
    if (code !== 0) throw new Error(`The script failed: ${stderr}`)
  }

  async stop(): Promise<void> {
    const child = this.#child
    if (child !== undefined && child.exitCode === null && child.signalCode === null) {
      const ended = new Promise((resolve) => child.once('close', resolve))
      child.kill('SIGTERM')
      await ended
    }
    await rm(this.dir, { recursive: true, force: true })
  }
}
