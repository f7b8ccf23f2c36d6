import { type ChildProcess, spawn } from 'node:child_process'
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestApi } from '../support/http/api.js'
import { repository } from '../support/http/control-plane.js'
import { runToEnd } from '../support/programs/processes.js'
import { enrollmentArguments } from '../support/agents/enrollment.js'

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

  /** `config` has more settings of the agent's configuration file. */
  static async create(address: string, devices: readonly string[], config: object = {}): Promise<SwiftNode> {
    const node = new SwiftNode(await mkdtemp(join(tmpdir(), 'roost-swift-')))
    await cp(lab, node.root, { recursive: true })
    for (const device of devices) await mkdir(join(node.root, 'srv/node', device), { recursive: true })
    await mkdir(node.#dataDir)
    await writeFile(join(node.#dataDir, 'config.json'), JSON.stringify({ ...config, swift: { addresses: [address] } }))
    await writeFile(join(node.root, 'etc/hostname'), `store-${address}\n`)
    return node
  }

  get output(): string {
    return this.#output
  }

  #args(...args: readonly string[]): readonly string[] {
    return [agentProgram, '--data-dir', this.#dataDir, '--root', this.root, ...args]
  }

  /** Enrolls with a token of one use, by the line that `roost token create` prints. */
  async enroll(api: TestApi, cluster: number): Promise<void> {
    const enroll = this.#args(...(await enrollmentArguments(api, cluster)))
    const { code, stderr } = await runToEnd(process.execPath, enroll)
    if (code !== 0) throw new Error(`The node could not enroll: ${stderr}`)
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

  /** Ends the agent alone; `start` goes on with its state. */
  async end(signal: NodeJS.Signals): Promise<void> {
    const child = this.#child
    if (child !== undefined && child.exitCode === null && child.signalCode === null) {
      const ended = new Promise((resolve) => child.once('close', resolve))
      child.kill(signal)
      await ended
    }
  }

  async stop(): Promise<void> {
    await this.end('SIGTERM')
    await rm(this.dir, { recursive: true, force: true })
  }
}
