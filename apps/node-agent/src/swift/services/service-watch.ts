import type { InventoryProblem } from '@roost/api-types/agent'
import { daemonStopped, reconStale, serverDown } from '@roost/api-types/checks'
import { type Clock, Periodic, type Stoppable } from '@roost/runtime'
import type { SlowReader } from '../../collectors/engine/slow-reader.js'
import type { Machine } from '../../machine/machine.js'
import type { NodeProblems } from '../../machine/problems.js'
import { type ConfiguredDaemon, type ConfiguredServer, readConfigured, type RingAddress } from './configured.js'
import { type CacheName, PassMemory, type ReconCaches } from './last-pass.js'
import { DaemonStates, type JudgedDaemon } from './daemon-states.js'
import type { SeenService, ServiceList } from './service-list.js'
import { listSwiftProcesses } from './swift-processes.js'
import type { SwiftUnit } from './units.js'

export interface ServiceWatchOptions {
  readonly machine: Machine
  readonly kernel: Machine
  /** Reads the kernel's files, and those of the machine. */
  readonly readers: { readonly kernel: SlowReader; readonly machine: SlowReader }
  readonly swiftDirectory: string
  readonly reconDirectory: string
  /** Asks a server; undefined when it is up, or the reason. */
  readonly ask: (server: ConfiguredServer) => Promise<string | undefined>
  /** Reads the units of systemd; none without systemd. */
  readonly readUnits: () => Promise<ReadonlyMap<string, SwiftUnit>>
  /** Finds updates of containers that wait too long. */
  readonly findOldUpdates: () => Promise<readonly InventoryProblem[]>
  readonly problems: NodeProblems
  readonly services: ServiceList
  /** Where object servers with a port for each disk have to listen: the addresses of this node's devices in the rings. */
  readonly ringAddresses: () => readonly RingAddress[]
  readonly clock: Clock
  readonly onError: (error: unknown) => void
}

const roundMs = 10_000
/** Units and devices cost a process each. */
const roundsOfUnits = 3
const roundsOfUpdates = 6

const caches: readonly CacheName[] = ['account', 'container', 'object']

/** Watches the servers and daemons of Swift on this node, and reports what the checks find. */
export class ServiceWatch implements Stoppable {
  readonly #options: ServiceWatchOptions
  readonly #round: Periodic
  readonly #missed = new Map<string, number>()
  readonly #daemons = new DaemonStates()
  readonly #passes = new PassMemory()
  #units: ReadonlyMap<string, SwiftUnit> = new Map()
  #rounds = 0

  constructor(options: ServiceWatchOptions) {
    this.#options = options
    const { clock, onError } = options
    this.#round = new Periodic({
      clock,
      intervalMs: () => roundMs,
      countFrom: 'end',
      work: () => this.#check(),
      onError,
    })
  }

  async stop(): Promise<void> {
    await this.#round.stop()
    for (const reader of Object.values(this.#options.readers)) reader.close()
  }

  async #check(): Promise<void> {
    const { machine, swiftDirectory, problems, services, ringAddresses, readUnits, findOldUpdates } = this.#options
    const { servers, daemons } = readConfigured(machine, swiftDirectory, ringAddresses())
    if (servers.length === 0 && daemons.length === 0) {
      services.set([])
      return problems.set('swift services', [])
    }
    const round = this.#rounds++
    if (round % roundsOfUnits === 0) this.#units = await readUnits()
    const checked = [...(await this.#checkServers(servers)), ...(await this.#checkDaemons(daemons))]
    services.set(checked.flatMap(({ service }) => service ?? []))
    problems.set(
      'swift services',
      checked.flatMap((one) => one.problems),
    )
    if (round % roundsOfUpdates === 0) problems.set('async pending', await findOldUpdates())
  }

  #checkServers(servers: readonly ConfiguredServer[]): Promise<readonly CheckedService[]> {
    return Promise.all(servers.map((server) => this.#checkServer(server)))
  }

  async #checkServer(server: ConfiguredServer): Promise<CheckedService> {
    const { name, path: file, host, port } = server
    const address = host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`
    if (this.#units.get(name)?.isEnabled === false)
      return { service: { name, file, address, state: 'off' }, problems: [] }
    const reason = await this.#options.ask(server)
    const missed = reason === undefined ? 0 : (this.#missed.get(address) ?? 0) + 1
    this.#missed.set(address, missed)
    const problems = serverDown.find({ server: name, file, address, missed, reason: reason ?? '' })
    const state = missed === 0 ? 'up' : problems.length > 0 ? 'down' : undefined
    return { service: { name, file, address, state }, problems }
  }

  async #checkDaemons(daemons: readonly ConfiguredDaemon[]): Promise<readonly CheckedService[]> {
    const { kernel, readers, clock } = this.#options
    const processes = await listSwiftProcesses(kernel, readers.kernel.read)
    const monotonicMs = clock.monotonic()
    const recon = this.#passes.describe(await this.#readCaches(), clock.now(), monotonicMs)
    const judged = this.#daemons.judge({ daemons, processes, units: this.#units, recon, monotonicMs })
    const running = judged.filter(({ isRunning }) => isRunning).map(({ daemon }) => daemon)
    return [...judged.map(checkedDaemon), { problems: this.#checkCaches(running, recon) }]
  }

  #checkCaches(running: readonly ConfiguredDaemon[], recon: ReconCaches): readonly InventoryProblem[] {
    return caches.flatMap((cache) => {
      const writers = running.filter((daemon) => daemon.cache === cache)
      return reconStale.find({
        path: this.#pathOf(cache),
        ageSeconds: recon.ageOf(cache),
        running: writers.length,
        intervalSeconds: Math.min(...writers.map(({ intervalSeconds }) => intervalSeconds)),
      })
    })
  }

  async #readCaches() {
    const files = await this.#options.readers.machine.read(caches.map((cache) => this.#pathOf(cache)))
    return new Map(
      caches.flatMap((cache) => {
        const file = files.get(this.#pathOf(cache))
        return file === undefined ? [] : [[cache, file] as const]
      }),
    )
  }

  #pathOf(cache: CacheName): string {
    return `${this.#options.reconDirectory}/${cache}.recon`
  }
}

interface CheckedService {
  readonly service?: SeenService
  readonly problems: readonly InventoryProblem[]
}

function checkedDaemon({ daemon, isRunning, isExpected, problems }: JudgedDaemon): CheckedService {
  const { name, path: file } = daemon
  const isMissing = problems.some(({ code }) => code === daemonStopped.code)
  const state = isRunning ? 'up' : !isExpected ? 'off' : isMissing ? 'down' : undefined
  return { service: { name, file, address: null, state }, problems }
}
