import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { repository } from '../http/control-plane.js'
import { runToEnd } from '../programs/processes.js'
import type { ProcessResult } from '../programs/processes.js'
import { plainEnv } from '../swift/machine.js'
import type { MachineProcess, Machine } from '../swift/machine.js'
import { nspawnArguments, ownCgroup } from './nspawn.js'

/** A Debian with systemd as its first process, in the network of a test's machine; it ends with that machine. */
export interface SystemdContainer {
  /** Runs a program to its end, whatever its exit code. */
  run(file: string, args: readonly string[]): Promise<ProcessResult>
  /** Runs a shell script; rejects when it fails. */
  exec(script: string): Promise<string>
  /** Restarts it as an operator would, and resolves when its units have started. Its files stay. */
  reboot(): Promise<void>
}

export interface ContainerOptions {
  /** The folder that `findSystemdRoot` returned. */
  readonly root: string
  /** Written before it boots. */
  readonly files: readonly (readonly [path: string, text: string])[]
  /** Units that do not start. */
  readonly masked: readonly string[]
  /** A folder that is `/srv/deployed` inside. */
  readonly deployed?: string
  /** Further folders of outside, by their paths inside. */
  readonly folders?: Readonly<Record<string, string>>
  /** The name of one of several in a machine, which is its host name. */
  readonly name?: string
  /** One of `addNetwork`'s networks instead of that of the machine. */
  readonly network?: string
  /** Without the repository and the Node of outside. */
  readonly isBare?: boolean
}

const bootMs = 180_000

/** Boots it, and resolves when its units have started. The repository and Node are where they are outside, unless it is bare. */
export async function bootContainer(machine: Machine, options: ContainerOptions): Promise<SystemdContainer> {
  const { name = 'roost-test' } = options
  const base = join(machine.dir, 'systemd', name)
  const root = join(base, 'root')
  await mkdir(base, { recursive: true })
  await machine.exec(`mount -t tmpfs tmpfs ${base}
    mkdir ${base}/upper ${base}/work ${root}
    mount -t overlay overlay -o lowerdir=${options.root},upperdir=${base}/upper,workdir=${base}/work ${root}`)
  const masked = options.masked.map((unit) => `ln -sf /dev/null ${root}/etc/systemd/system/${unit}`)
  await machine.exec(masked.join('\n'))
  for (const [path, text] of options.files) await writeInside(machine, join(root, path), text)
  const start = `${ownCgroup(`${machine.dir}-${name}`)}\nexec systemd-nspawn "$@"`
  const argv = [...nspawnArguments(root, name), ...bindsOf(options), '--boot']
  const boot = () => machine.spawn('sh', ['-ec', start, 'sh', ...argv])
  let nspawn = boot()
  const commands = inside(() => firstProcess(nspawn))
  await untilBooted(nspawn, commands)
  return {
    ...commands,
    async reboot() {
      await commands.run('systemctl', ['reboot'])
      // nspawn ends for a reboot: with --keep-unit its caller starts it again.
      await nspawn.ended
      nspawn = boot()
      await untilBooted(nspawn, commands)
    },
  }
}

function bindsOf({ deployed, folders = {}, network, isBare = false }: ContainerOptions): readonly string[] {
  return [
    ...(isBare ? [] : [`--bind-ro=${process.execPath}:/usr/bin/node`, `--bind-ro=${repository}`]),
    ...(deployed === undefined ? [] : [`--bind-ro=${deployed}:/srv/deployed`]),
    ...Object.entries(folders).map(([inside, outside]) => `--bind=${outside}:${inside}`),
    ...(network === undefined ? [] : [`--network-namespace-path=/run/netns/${network}`]),
  ]
}

async function untilBooted(nspawn: MachineProcess, { run }: Commands): Promise<void> {
  for (const until = Date.now() + bootMs; Date.now() < until; await sleep(200)) {
    if (nspawn.child.exitCode !== null) break
    const { stdout } = await run('systemctl', ['is-system-running']).catch(() => ({ stdout: '' }))
    if (/^(running|degraded)$/m.test(stdout)) return
  }
  throw new Error(`systemd does not boot in the container: ${nspawn.output()}`)
}

/** The machine's mounts are not seen out here. */
async function writeInside(machine: Machine, path: string, text: string): Promise<void> {
  const staged = join(machine.dir, 'staged')
  await writeFile(staged, text)
  await machine.exec(`mkdir -p ${dirname(path)} && install -m 644 ${staged} ${path}`)
}

type Commands = Pick<SystemdContainer, 'run' | 'exec'>

function inside(leader: () => Promise<number>): Commands {
  const run: Commands['run'] = async (file, args) => {
    const into = ['-t', String(await leader()), '-m', '-u', '-i', '-n', '-p', '-C', '-r', '-w', '--', file]
    return runToEnd('nsenter', [...into, ...args], { env: plainEnv })
  }
  return {
    run,
    async exec(script) {
      const { code, stdout, stderr } = await run('sh', ['-ec', script])
      if (code !== 0) throw new Error(`The script failed (${code}): ${stderr || stdout}\n${script}`)
      return stdout
    },
  }
}

/** nsenter's child is nspawn, whose child is the container's systemd. */
async function firstProcess({ child }: MachineProcess): Promise<number> {
  const nspawn = await onlyChild(child.pid)
  return onlyChild(nspawn)
}

async function onlyChild(pid: number | undefined): Promise<number> {
  const tasks = `/proc/${pid}/task`
  const children = await Promise.all(
    (await readdir(tasks)).map((task) => readFile(join(tasks, task, 'children'), 'utf8')),
  )
  const [first] = children.join(' ').trim().split(/\s+/)
  if (first === undefined || first === '') throw new Error(`Process ${pid} has no child.`)
  return Number(first)
}
