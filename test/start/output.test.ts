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

it('node show reads its node and not all others', async () => {
  const wire = await startTcpProxy({ port: Number(new URL(roost.url).port) })
  onTestFinished(() => wire.close())
  // A connection is reset after these bytes: one node is less, the list of all is more.
  wire.set({ kind: 'cut', afterBytes: 30_000 })
  const env = { ...controlPlaneEnv(roost.dataDir), ROOST_URL: `https://127.0.0.1:${wire.port}` }
  expect((await runRoost(['node', 'list', '-o', 'name'], env)).code).toBe(1)
  const shown = await runRoost(['node', 'show', 'node-77', '-o', 'json'], env)
  expect([shown.code, JSON.parse(shown.stdout)]).toMatchObject([0, { hostname: 'node-77' }])
})
