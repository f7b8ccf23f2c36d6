import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { repository } from '../support/http/control-plane.js'
import { ScriptedControlPlane } from '../support/agents/scripted-control-plane.js'
import { enrolledState } from '../support/agents/test-agent.js'

const busyAgent = join(repository, 'test/dist/support/agents/busy-agent.js')
const kills = process.env.ROOST_TEST_LONG === '1' ? 200 : 12

let server: ScriptedControlPlane
let state: Awaited<ReturnType<typeof enrolledState>>
const children: Child[] = []

beforeEach(async () => {
  server = await ScriptedControlPlane.start({ clock: () => Date.now() / 1000 })
  // The busy agent's clock runs a hundred times as fast.
  server.script.settings = {
    report_interval_ms: 1000,
    reconnect_spread_ms: 1000,
    history: { window_s: 30, mantissa: 13 },
  }
  state = await enrolledState(`http://127.0.0.1:${server.port}`)
  server.script.publicKey = state.identity.publicKey
})

afterEach(async () => {
  await Promise.all(children.splice(0).map((child) => child.kill9()))
  await server.stop()
  await state.remove()
})

interface Child {
  readonly pid: number
  output(): string
  kill9(): Promise<void>
}

/** Starts the busy agent, by way of a shell line that may take something from it first; resolves once it is connected. */
async function startBusy(shell = '', wrapper: readonly string[] = []): Promise<Child> {
  const hellos = server.hellos.length
  const line = `${shell} exec "$0" "$@"`
  const [program, ...args] = [...wrapper, 'sh', '-c', line, process.execPath, busyAgent, state.dataDir]
  const child = spawn(program ?? 'sh', args, { stdio: ['ignore', 'pipe', 'inherit'] })
  let output = ''
  child.stdout.on('data', (chunk) => (output += String(chunk)))
  const ended = new Promise((resolve) => child.once('close', resolve))
  const started = {
    pid: child.pid ?? 0,
    output: () => output,
    async kill9() {
      child.kill('SIGKILL')
      await ended
    },
  }
  children.push(started)
  await expect.poll(() => server.hellos.length, { timeout: 60_000, interval: 5 }).toBeGreaterThan(hellos)
  return started
}

function hashOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}

function sequenceIn(text: string): number {
  return (JSON.parse(text) as { sequence: number }).sequence
}

async function spooled(): Promise<readonly string[]> {
  const dir = join(state.dataDir, 'spool', 'messages')
  const names = (await readdir(dir)).filter((name) => name.endsWith('.json'))
  return Promise.all(names.map((name) => readFile(join(dir, name), 'utf8')))
}

it('may be killed at any moment: nothing is torn, numbers only rise, and what was not acknowledged is still there', async () => {
  const identity = hashOf(await readFile(join(state.dataDir, 'identity.json')))
  for (let kill = 0; kill < kills; kill++) {
    server.script.answer = kill % 3 === 2 ? 'silence' : 'ack'
    const [known, acknowledged] = [server.inventories.length, server.acknowledged.at(-1) ?? 0]
    const agent = await startBusy()
    // Some are killed as they begin, and others in the middle of their work.
    if (kill % 3 === 1)
      await vi.waitUntil(() => server.inventories.length > known + 8, { timeout: 60_000, interval: 5 })
    await sleep(Math.random() * 300)
    await agent.kill9()
    for (const text of await spooled()) expect(JSON.parse(text)).toMatchObject({ type: 'inventory' })
    const sequences = server.inventories.slice(known).map(({ sequence }) => sequence)
    expect(sequences).toEqual(sequences.toSorted((a, b) => a - b))
    // A lower number than an acknowledged one is a repetition, whose own acknowledgement was lost with the process.
    const seen = server.inventories.slice(0, known).map(({ sequence }) => sequence)
    expect(seen).toEqual(expect.arrayContaining(sequences.filter((sequence) => sequence <= acknowledged)))
    // What was sent and not answered is in the spool, or has been replaced there by something newer.
    const safe = Math.max(server.acknowledged.at(-1) ?? 0, ...(await spooled()).map(sequenceIn))
    expect(safe).toBeGreaterThanOrEqual(sequences.at(-1) ?? 0)
  }
  expect(server.faults).toEqual([])
  expect(server.inventories.length).toBeGreaterThan(kills * 2)
  expect(hashOf(await readFile(join(state.dataDir, 'identity.json')))).toBe(identity)
}, 400_000)

/** Leaves a disk that takes nothing: no file may grow beyond nothing, and the refusal is an error, not a signal. */
const fullDisk = "trap '' XFSZ; ulimit -f 0;"

it('continues while its disk is full, logs what to do, and recovers by itself when there is space again', async () => {
  const poor = await startBusy(fullDisk)
  await expect.poll(() => server.acknowledged.length, { timeout: 60_000 }).toBeGreaterThan(5)
  await expect.poll(() => server.frames.length, { timeout: 60_000 }).toBeGreaterThan(5)
  await expect.poll(() => poor.output()).toContain('check the free space and permissions of the data directory')
  expect(await spooled()).toEqual([])
  server.drop()
  const frames = server.frames.length
  await expect.poll(() => server.frames.length, { timeout: 60_000 }).toBeGreaterThan(frames)
  await poor.kill9()
  const rich = await startBusy()
  const acknowledged = server.acknowledged.length
  await expect.poll(() => server.acknowledged.length, { timeout: 60_000 }).toBeGreaterThan(acknowledged)
  expect(rich.output()).not.toContain('check the free space and permissions of the data directory')
  await rich.kill9()
}, 300_000)

/** Puts a small file system in the place of the state directory, which holds the identity and no free byte. */
const fullTmpfs = `
  keep=$(mktemp -d); cp "$2"/identity.json "$keep"; mount -t tmpfs -o size=64k none "$2"
  cp "$keep"/identity.json "$2"; rm -r "$keep"; head -c 1m /dev/zero > "$2"/ballast 2>/dev/null;`

it.runIf(process.env.ROOST_TEST_SYSTEM === '1')(
  'writes its state again by itself once a file system that was full has room',
  async () => {
    const agent = await startBusy(fullTmpfs, ['unshare', '-m'])
    const inside = `/proc/${agent.pid}/root${state.dataDir}`
    await expect.poll(() => agent.output(), { timeout: 60_000 }).toContain('ENOSPC')
    await rm(join(inside, 'ballast'))
    await expect.poll(() => existsSync(join(inside, 'spool/messages/last-sequence')), { timeout: 60_000 }).toBe(true)
    await agent.kill9()
  },
)
