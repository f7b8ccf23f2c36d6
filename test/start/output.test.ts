import { randomBytes, randomUUID } from 'node:crypto'
import { closeSync, openSync } from 'node:fs'
import { spawnSync } from 'node:child_process'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { createTestDatabase } from '../support/database/database.js'
import { controlPlaneEnv, roostProgram, startControlPlane } from '../support/http/control-plane.js'
import type { ControlPlaneProcess } from '../support/http/control-plane.js'
import { runRoost, runToEnd } from '../support/programs/processes.js'
import { startTcpProxy } from '../support/programs/tcp-proxy.js'

const nodes = 10_000
const database = await createTestDatabase()
let roost: ControlPlaneProcess

beforeAll(async () => {
  roost = await startControlPlane({ env: { DATABASE_URL: database.url } })
  const { id: clusterId } = await database.prisma.cluster.findFirstOrThrow()
  const rows = Array.from({ length: nodes }, (_, index) => ({
    clusterId,
    hostname: `node-${index}`,
    publicKey: new Uint8Array(randomBytes(32)),
    machineId: randomUUID(),
    bootId: randomUUID(),
  }))
  await database.prisma.node.createMany({ data: rows })
  const ids = await database.prisma.node.findMany({ select: { id: true } })
  await database.prisma.nodeRole.createMany({ data: ids.map((node) => ({ nodeId: node.id })) })
})
afterAll(async () => {
  await roost?.stop()
  await database.drop()
})

/** Runs a pipeline, and prints the exit code of its first command on standard error. */
function pipeline(command: string, reader: string) {
  const script = `"$0" "$1" ${command} | ${reader}; echo "exit code \${PIPESTATUS[0]}" >&2`
  return runToEnd('bash', ['-c', script, process.execPath, roostProgram], { env: controlPlaneEnv(roost.dataDir) })
}

describe('the output of a command', () => {
  it('reaches a slow reader completely', async () => {
    const { stdout, stderr } = await pipeline('node list -o json', '{ head -c 1; sleep 0.3; cat; }')
    expect(stderr).toBe('exit code 0\n')
    expect(JSON.parse(stdout)).toHaveLength(nodes)
  })

  it('ends quietly when its reader closes the pipe', async () => {
    const { stdout, stderr } = await pipeline('node list', 'head -1')
    expect(stderr).toBe('exit code 0\n')
    expect(stdout).toMatch(/^ID +HOSTNAME .*\n$/)
  })

  it('fails with the reason when it cannot be written', () => {
    const full = openSync('/dev/full', 'w')
    const { status, stderr } = spawnSync(process.execPath, [roostProgram, 'cluster', 'list'], {
      env: controlPlaneEnv(roost.dataDir),
      stdio: ['ignore', full, 'pipe'],
      encoding: 'utf8',
    })
    closeSync(full)
    expect(stderr).toBe('The output could not be written: ENOSPC: no space left on device, write.\n')
    expect(status).toBe(1)
  })
})

describe('a record that a command names is read without all others', () => {
  /** Runs over connections that are reset after these bytes: one record is less, the list of all is more. */
  const overShortWires = async () => {
    const wire = await startTcpProxy({ port: Number(new URL(roost.url).port) })
    onTestFinished(() => wire.close())
    wire.set({ kind: 'cut', afterBytes: 30_000 })
    const env = { ...controlPlaneEnv(roost.dataDir), ROOST_URL: `https://127.0.0.1:${wire.port}` }
    return (...args: readonly string[]) => runRoost(args, env)
  }

  it('by node show', async () => {
    const cli = await overShortWires()
    expect((await cli('node', 'list', '-o', 'name')).code).toBe(1)
    const shown = await cli('node', 'show', 'node-77', '-o', 'json')
    expect([shown.code, JSON.parse(shown.stdout)]).toMatchObject([0, { hostname: 'node-77' }])
  })

  it('by device show, with its name', async () => {
    const { id: nodeId, clusterId } = await database.prisma.node.findFirstOrThrow({ where: { hostname: 'node-77' } })
    const rows = Array.from({ length: 1_000 }, (_, i) => {
      const uuid = randomUUID()
      return { clusterId, nodeId, name: `d-${i}`, agentKey: uuid, fsUuid: uuid, serial: `S-${i}`, status: 'ok' }
    })
    await database.prisma.device.createMany({ data: rows })
    const { id } = await database.prisma.device.findFirstOrThrow({ where: { name: 'd-77' } })
    const cli = await overShortWires()
    expect((await cli('device', 'list', '-o', 'name')).code).toBe(1)
    const shown = expect.stringMatching(new RegExp(`^ID +${id}\nNODE +node-77\nNAME +d-77\n`))
    expect((await cli('device', 'show', 'd-77')).stdout).toEqual(shown)
    const show = (text: string) => runRoost(['device', 'show', text], controlPlaneEnv(roost.dataDir))
    for (const text of ['S-77', String(id)]) expect((await show(text)).stdout).toEqual(shown)

    const { id: other } = await database.prisma.device.findFirstOrThrow({ where: { name: 'd-78' } })
    await database.prisma.device.update({ where: { id: other }, data: { serial: String(id) } })
    expect(await show(String(id))).toMatchObject({
      code: 4,
      stderr: `roost: 2 devices are named '${id}'. Use an id instead: ${id}, ${other}.\n`,
    })
  })

  it('by commands for a cluster', async () => {
    const names = Array.from({ length: 700 }, () => randomBytes(30).toString('hex'))
    await database.prisma.cluster.createMany({ data: names.map((name) => ({ name })) })
    onTestFinished(async () => void (await database.prisma.cluster.deleteMany({ where: { name: { in: names } } })))
    const { id, name } = await database.prisma.cluster.findFirstOrThrow({ where: { name: names[77] ?? '' } })
    const cli = await overShortWires()
    expect((await cli('cluster', 'list', '-o', 'name')).code).toBe(1)
    for (const text of [name, String(id)])
      expect(await cli('capacity', text, '-o', 'json')).toMatchObject({ code: 0, stdout: '[]\n' })
  })
})

it('a name that many devices have is refused with their number and some of their ids', async () => {
  const { id: clusterId } = await database.prisma.cluster.findFirstOrThrow()
  const all = await database.prisma.node.findMany({ select: { id: true } })
  const rows = all
    .slice(0, 1_100)
    .map(({ id: nodeId }) => ({ clusterId, nodeId, name: 'sdb', agentKey: 'sdb', status: 'ok' }))
  await database.prisma.device.createMany({ data: rows })
  const { code, stderr } = await runRoost(['device', 'show', 'sdb'], controlPlaneEnv(roost.dataDir))
  expect([code, stderr]).toEqual([
    4,
    expect.stringMatching(/^roost: 1100 devices are named 'sdb'\. Use an id instead: (?:\d+, ){20}…\.\n$/),
  ])
})
