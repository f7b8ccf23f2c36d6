import { spawn } from 'node:child_process'
import type { ChildProcess, SpawnOptions } from 'node:child_process'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { connect, createServer } from 'node:net'
import type { AddressInfo, Server, Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { repository } from '../http/control-plane.js'
import { runToEnd } from '../programs/processes.js'
import type { ProcessResult } from '../programs/processes.js'

/**
 * A machine of a test: mounts, network and processes of its own, by Linux namespaces. Needs root. Its network is a loopback interface
 * and nothing else, its `/run` is empty (no systemd), and nothing of it outlives the test: when the test's process ends, however it does,
 * the kernel kills every process in there, undoes the mounts and frees the loop devices.
 */
export interface Machine {
  /** A folder in `/tmp` that inside and outside is the same; what is mounted below it is seen inside only. */
  readonly dir: string
  /** Runs a shell script in there; rejects when it fails. `view` is one made by `addView`. */
  exec(script: string, view?: string): Promise<string>
  /** As `exec`, whatever the exit code. */
  run(file: string, args: readonly string[], options?: RunOptions): Promise<ProcessResult>
  /** Starts a program in there. A signal to the child is no signal to the program: see `signal`. */
  spawn(file: string, args: readonly string[], options?: RunOptions & { readonly log?: string }): MachineProcess
  /** Mounts and processes of their own inside of the machine. The script (no `'` in it) runs there first; mounts below `dir` reach it. */
  addView(name: string, script: string): Promise<void>
  /** Answers the port of 127.0.0.1 out here that leads to an address in there. */
  forward(address: string, port: number): Promise<number>
  /** Makes a port of 127.0.0.1 out here, such as a control plane's, the same one in there. */
  publish(port: number): Promise<void>
  /** Whether something in there takes connections at an address. */
  answers(address: string, port: number): Promise<boolean>
  /** Appends the datagrams that come to an address in there to a file, a line each. */
  record(address: string, port: number, file: string): Promise<void>
  /** Ends everything in there, and removes the folder. */
  remove(): Promise<void>
}

export interface RunOptions {
  readonly view?: string
  readonly env?: Readonly<Record<string, string>>
  readonly cwd?: string
  readonly timeout?: number
}

/** A program in a machine. */
export interface MachineProcess {
  readonly child: ChildProcess
  /** Resolves when it has ended. */
  readonly ended: Promise<void>
  /** What it wrote so far. */
  output(): string
  /** Sends a signal to it; nothing when it has ended. */
  signal(name: NodeJS.Signals): void
  /** Sends the signal, and resolves when it has ended. */
  stop(name?: NodeJS.Signals): Promise<void>
}

/** The default environment of programs in the machine. */
export const plainEnv = {
  PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
  LC_ALL: 'C',
  HOME: '/root',
}

/** The first process in there. It waits for the gate, and reaps whatever has lost its parent. Mounts by rclone of other suites end in there. */
const first = `
  ip link set lo up
  findmnt -rn -t fuse.rclone -o TARGET | xargs -r umount -l
  mount -t tmpfs tmpfs /run
  mkdir -m 1777 /run/lock
  mount --bind "$1" "$1"
  mount --make-shared "$1"
  "$2" "$3" "$1/gate"`

/** The namespaces are left when standard input ends; then nothing is mounted in the folder any more. */
const outer = `
  exec 3<&0
  unshare --mount --net --pid --fork --kill-child --mount-proc sh -ec '${first}' sh "$@" <&3 &
  echo $!
  wait
  rm -rf --one-file-system "$1"`

export async function startMachine(): Promise<Machine> {
  const dir = await mkdtemp(join(tmpdir(), 'roost-machine-'))
  const gateProgram = join(repository, 'test/support/swift/gate.mjs')
  const args = ['-c', outer, 'sh', dir, process.execPath, gateProgram]
  // In a session of its own: it clears up also when the test's whole process group is killed.
  const holder = spawn('sh', args, { detached: true, stdio: ['pipe', 'pipe', 'inherit'], env: plainEnv })
  const ended = new Promise<void>((resolve) => holder.once('close', () => resolve()))
  const lines = createInterface({ input: holder.stdout })[Symbol.asyncIterator]()
  const pid = (await lines.next()).value as string
  if ((await lines.next()).value !== 'ready') throw new Error('The namespaces of the test cannot be made.')

  const servers: Server[] = []
  const gate = (wish: object): Socket => {
    const socket = connect({ path: join(dir, 'gate'), allowHalfOpen: true })
    socket.on('error', () => {})
    socket.write(`${JSON.stringify(wish)}\n`)
    return socket
  }
  const run: Machine['run'] = (file, args, { view, ...options } = {}) =>
    runToEnd('nsenter', entering(pid, dir, view, file, args), { env: plainEnv, ...options })
  const exec: Machine['exec'] = async (script, view) => {
    const { code, stdout, stderr } = await run(
      'sh',
      ['-ec', `cd ${dir}\n${script}`],
      view === undefined ? {} : { view },
    )
    if (code !== 0) throw new Error(`The script failed (${code}): ${stderr || stdout}\n${script}`)
    return stdout
  }
  return {
    dir,
    run,
    exec,
    spawn: (file, args, { view, log, ...options } = {}) =>
      startMachineProcess(
        entering(pid, dir, view, file, args),
        log,
        { env: plainEnv, ...options },
        view === undefined ? 1 : 2,
      ),
    async addView(name, script) {
      const waiting = `${script}\ntouch ${dir}/${name}.view\nsleep infinity`
      await exec(`unshare --mount --pid --fork --kill-child --mount-proc --propagation unchanged \\
          sh -ec '${waiting}' </dev/null >/dev/null 2>${name}.view.log &
        echo $! >${name}.pid
        for i in $(seq 900); do [ -e ${name}.view ] && exit 0; sleep 0.1; done; cat ${name}.view.log >&2; exit 1`)
    },
    async forward(address, port) {
      const server = createServer({ allowHalfOpen: true }, (client) => tie(client, gate({ connect: [address, port] })))
      servers.push(server)
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
      return (server.address() as AddressInfo).port
    },
    async publish(port) {
      const to = join(dir, `out-${port}`)
      const server = createServer({ allowHalfOpen: true }, (inner) =>
        tie(inner, connect({ host: '127.0.0.1', port, allowHalfOpen: true })),
      )
      servers.push(server)
      await new Promise<void>((resolve) => server.listen(to, resolve))
      await granted(gate({ listen: port, to }))
    },
    answers: async (address, port) => (await answerOf(gate({ knock: [address, port] }))) === 'ok\n',
    record: (address, port, file) => granted(gate({ udp: [address, port], to: file })),
    async remove() {
      for (const server of servers) server.close()
      holder.stdin.end()
      await ended
    },
  }
}

/** The command line that runs a program in the machine, or in a view, whose process is one of the machine's. */
function entering(pid: string, dir: string, view: string | undefined, file: string, args: readonly string[]): string[] {
  const into = (holder: string, ...names: readonly string[]) => [
    ...names.map((name) => `--${name}=/proc/${holder}/ns/${files[name] ?? name}`),
    '--',
  ]
  const files: Readonly<Record<string, string>> = { mount: 'mnt', pid: 'pid_for_children' }
  const machine = into(pid, 'mount', 'net', 'pid')
  if (view === undefined) return [...machine, file, ...args]
  const holder = readFileSync(join(dir, `${view}.pid`), 'utf8').trim()
  return [...machine, 'nsenter', ...into(holder, 'mount', 'pid'), file, ...args]
}

/** `depth` is how many processes wait for the program: each nsenter has one child, and ends as that does. */
function startMachineProcess(
  args: readonly string[],
  log: string | undefined,
  options: SpawnOptions,
  depth: number,
): MachineProcess {
  const fd = log === undefined ? 'pipe' : openSync(log, 'a')
  const child = spawn('nsenter', args, { ...options, stdio: ['ignore', fd, fd] })
  if (typeof fd === 'number') closeSync(fd)
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => (output += String(chunk)))
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()))
  const signal: MachineProcess['signal'] = (name) => {
    if (hasEnded()) return
    let program = child.pid as number
    try {
      for (let i = 0; i < depth; i++) program = onlyChild(program) ?? program
      process.kill(program, name)
    } catch (error) {
      // It ended a moment ago, and we have not heard of it yet.
      if (!['ENOENT', 'ESRCH'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error
    }
  }
  return {
    child,
    ended,
    output: () => (log === undefined ? output : readFileSync(log, 'utf8')),
    signal,
    async stop(name = 'SIGTERM') {
      signal(name)
      if (!hasEnded()) await ended
    },
  }
}

function onlyChild(pid: number): number | undefined {
  return Number(readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim()) || undefined
}

/** Passes on what comes from either side, and its end. */
function tie(one: Socket, other: Socket): void {
  for (const [from, to] of [
    [one, other],
    [other, one],
  ] as const) {
    from.on('error', () => to.destroy())
    from.on('close', (failed) => failed && to.destroy())
    from.pipe(to)
  }
}

async function answerOf(socket: Socket): Promise<string> {
  let answer = ''
  for await (const chunk of socket) answer += String(chunk)
  return answer
}

async function granted(socket: Socket): Promise<void> {
  const answer = await answerOf(socket)
  if (answer !== 'ok\n') throw new Error(`The gate of the machine says: ${answer}`)
}
