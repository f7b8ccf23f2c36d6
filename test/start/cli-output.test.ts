import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { parseAllDocuments } from 'yaml'
import { addCluster, addNode } from '../support/agents/fleet-rows.js'
import { createTestDatabase } from '../support/database/database.js'
import { controlPlaneEnv, roostProgram, startControlPlane } from '../support/http/control-plane.js'
import type { ControlPlaneProcess } from '../support/http/control-plane.js'
import { runRoost } from '../support/programs/processes.js'

const database = await createTestDatabase()
let roost: ControlPlaneProcess
let home: string

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'roost-home-'))
  roost = await startControlPlane({ env: { DATABASE_URL: database.url } })
  const cluster = await addCluster(database, 'prod')
  await addCluster(database, 'old')
  for (const hostname of ['gw-1', '=gw-2']) await addNode(database, cluster, { hostname, state: 'offline' })
})
afterAll(async () => {
  await roost.stop()
  await database.drop()
  await rm(home, { recursive: true, force: true })
})

const cli = (...args: readonly string[]) => runRoost(args, controlPlaneEnv(roost.dataDir))

/** Runs the command line on a terminal of 24 lines and 80 columns. */
function onTerminal(command: string, { more = {}, input = '' } = {}) {
  const line = `stty rows 24 cols 80; "${process.execPath}" "${roostProgram}" ${command}`
  const env = { ...controlPlaneEnv(roost.dataDir), TERM: 'xterm', SHELL: '/bin/bash', ...more }
  const { stdout, status } = spawnSync('script', ['-qec', line, '/dev/null'], { env, input, encoding: 'utf8' })
  return { code: status, screen: stdout.replaceAll('\r\n', '\n') }
}

describe('the output of roost', () => {
  it('has the columns and the format that are asked for', async () => {
    const csv = await cli('node', 'list', '-o', 'csv', '--columns', 'hostname,state,last-seen')
    expect(csv.stdout).toBe('HOSTNAME,STATE,LAST SEEN\r\ngw-1,offline,\r\n"\'=gw-2",offline,\r\n')
    expect((await cli('node', 'list', '-o', 'name')).stdout).toBe('gw-1\n=gw-2\n')
    const bare = await cli('node', 'list', '--no-headers', '--columns', 'HOSTNAME,CONFIG')
    expect(bare.stdout).toBe('gw-1   unknown\n=gw-2  unknown\n')
    const wrong = await cli('node', 'list', '--columns', 'NAMES')
    expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringMatching(/no column 'NAMES'. Columns: ID, HOSTNAME/)])
  })

  it('is YAML with the fields that can be set, and errors are JSON where the output is', async () => {
    const { stdout } = await cli('node', 'list', '-o', 'yaml')
    const documents = parseAllDocuments(stdout).map((document) => document.toJS() as unknown)
    expect(documents).toMatchObject([
      { kind: 'node', hostname: 'gw-1', cluster: 'prod', node_role: { runs_gateway: false } },
      { kind: 'node', hostname: '=gw-2' },
    ])
    expect(documents[0]).not.toHaveProperty('last_seen')
    const missing = await cli('node', 'show', 'gw-9', '-o', 'json')
    expect(JSON.parse(missing.stderr)).toEqual({ error: "node 'gw-9' not found.", exit_code: 3 })
  })

  it('is colored on a terminal, unless the operator does not want it', () => {
    expect(onTerminal('node list').screen).toContain('\u001B[31moffline')
    expect(onTerminal('node list --no-color').screen).not.toContain('\u001B[31m')
    expect(onTerminal('node list --color=never').screen).not.toContain('\u001B[31m')
    expect(onTerminal('node list', { more: { NO_COLOR: '1' } }).screen).not.toContain('\u001B[31m')
    expect(onTerminal('node list --color=always', { more: { NO_COLOR: '1' } }).screen).toContain('\u001B[31moffline')
  })

  it('has ? for characters that would change a terminal, in every format, and is unchanged in a pipe', async () => {
    const { id: clusterId } = await database.prisma.cluster.findUniqueOrThrow({ where: { name: 'old' } })
    const hostname = 'evil\u202e\u009b2J\u2028'
    const id = await addNode(database, clusterId, { hostname })
    onTestFinished(async () => void (await database.prisma.node.delete({ where: { id } })))
    for (const format of ['yaml', 'json', 'csv', 'table', 'name']) {
      const { code, screen } = onTerminal(`node list -o ${format}`, { more: { PAGER: 'cat' } })
      expect([format, code, screen]).toEqual([format, 0, expect.stringContaining('evil??2J?')])
      expect(screen.replaceAll('\u001B[', '')).not.toMatch(/[^\P{Cc}\n]|[\u2028\u202e]/u)
    }
    expect((await cli('node', 'list', '-o', 'csv', '--columns', 'hostname')).stdout).toContain(hostname)
    expect(JSON.parse((await cli('node', 'list', '-o', 'json')).stdout)).toContainEqual(
      expect.objectContaining({ hostname }),
    )
  })

  it('is colored in a pipe with --color=always alone', async () => {
    expect((await cli('node', 'list')).stdout).not.toContain('\u001B[31m')
    expect((await cli('node', 'list', '--color=always')).stdout).toContain('\u001B[31moffline')
  })

  it('is what a path finds in the JSON', async () => {
    const values = async (...args: readonly string[]) => (await cli(...args)).stdout
    expect(await values('node', 'list', '-o', 'jsonpath=[*].hostname')).toBe('gw-1\n=gw-2\n')
    expect(await values('node', 'list', '-o', 'jsonpath={[-1].node_role.runs_gateway}')).toBe('false\n')
    expect(await values('node', 'show', 'gw-1', '-o', "jsonpath=$['state']")).toBe('offline\n')
    expect(await values('node', 'show', 'gw-1', '-o', 'jsonpath=.problems')).toMatch(/^\[.*\]\n$/)
    expect(await values('node', 'show', 'gw-1', '-o', 'jsonpath=.nothing[0].there')).toBe('')
    for (const path of ['jsonpath=..x', 'jsonpath=[', 'xml'])
      expect((await cli('node', 'list', '-o', path)).code).toBe(2)
  })

  it('ends with code 7 where a call gets no answer within --request-timeout', async () => {
    const silent = createServer().listen(0, '127.0.0.1')
    await once(silent, 'listening')
    const url = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`
    const env = { ...controlPlaneEnv(roost.dataDir), ROOST_URL: url }
    for (const args of [
      ['node', 'list'],
      ['api', 'GET', '/nodes/'],
    ]) {
      const { code, stderr } = await runRoost(['--request-timeout', '1s', ...args], env)
      expect([code, stderr]).toEqual([7, expect.stringMatching(/^roost: http:\S+ (?:did|does) not answer/)])
    }
    silent.close()
  })

  it('goes through the pager where it is longer than the screen', () => {
    expect(onTerminal('api GET /nodes/', { more: { PAGER: 'sed s/^/paged:/' } }).screen).toMatch(/^paged:\{/m)
    const unpaged = onTerminal('api GET /nodes/ --no-pager', { more: { PAGER: 'sed s/^/paged:/' } })
    expect(unpaged.screen).not.toContain('paged:')
  })

  it('is printed again with --watch', () => {
    const env = { ...controlPlaneEnv(roost.dataDir), PROGRAM: `"${process.execPath}" "${roostProgram}"` }
    const line = 'eval "$PROGRAM" node list --watch=1 --no-headers -o name | { head -4; kill 0; }'
    const { stdout } = spawnSync('setsid', ['bash', '-c', line], { env, encoding: 'utf8' })
    expect(stdout).toBe('gw-1\n=gw-2\ngw-1\n=gw-2\n')
  })

  it('asks for the name of what would be lost, on a terminal', async () => {
    const no = onTerminal('cluster remove old', { input: 'prod\n' })
    expect([no.code, no.screen]).toEqual([10, expect.stringContaining('Not confirmed. Nothing was changed.')])
    expect((await cli('cluster', 'list', '-o', 'name')).stdout).toBe('default\nprod\nold\n')
    expect(onTerminal('cluster remove old', { input: 'old\n' })).toMatchObject({ code: 0 })
  })
})

describe('roost api', () => {
  it('calls any route, and ends with the code of the answer', async () => {
    const list = await cli('api', 'GET', '/nodes/?limit=1', '--all')
    expect(JSON.parse(list.stdout)).toMatchObject([{ hostname: 'gw-1' }, { hostname: '=gw-2' }])
    const [{ id }] = JSON.parse(list.stdout) as [{ readonly id: number }]
    const changed = await cli('api', 'patch', `nodes/${id}/`, '-d', '{"enabled": false}')
    expect(JSON.parse(changed.stdout)).toMatchObject({ hostname: 'gw-1', enabled: false })
    expect((await cli('api', 'GET', '/healthz')).stdout).toContain('ok')
    const missing = await cli('api', 'GET', '/nodes/999/')
    expect([missing.code, missing.stderr]).toEqual([3, expect.stringMatching(/answered with status 404/)])
    const line = await cli('api', 'POST', '/users/', '-d', `{"user": "o'hara"}`, '--curl')
    expect(line.stdout).toMatch(
      /^curl -X POST .*-d '\{"user": "o'\\''hara"\}' 'https:\/\/127\.0\.0\.1:\d+\/api\/v1\/users\/'\n$/,
    )
  })
})

describe('contexts', () => {
  /** The environment of another machine. */
  const elsewhere = () => ({ PATH: process.env['PATH'] ?? '', HOME: home, XDG_CONFIG_HOME: join(home, 'config') })
  const there = (...args: readonly string[]) => runRoost(args, elsewhere())

  it('pins the authority, stores the key for this account alone, and is used from then on', async () => {
    const { url } = roost
    const keyFile = join(roost.dataDir, 'admin.apikey')
    const untrusted = await there('login', url, '--key-file', keyFile)
    expect([untrusted.code, untrusted.stderr]).toEqual([1, expect.stringMatching(/--ca-sha256 [\da-f]{64} after/)])
    const wrong = await there('login', url, '--key-file', keyFile, '--ca-sha256', 'ab'.repeat(32))
    expect([wrong.code, wrong.stderr]).toEqual([1, expect.stringMatching(/has the digest [\da-f]{64}, not abab/)])
    const { stdout: token } = await cli('token', 'create', '-o', 'json')
    const digest = /--ca-sha256 ([\da-f]{64})/.exec(token)?.[1] ?? ''
    const refused = join(home, 'refused')
    await writeFile(refused, 'admin:wrong\n')
    expect(await there('login', url, '--key-file', refused, '--ca-sha256', digest)).toMatchObject({
      code: 6,
      stderr: `roost: ${url} refused the key.\n`,
    })
    const done = await there('login', url, '--key-file', keyFile, '--ca-sha256', digest, '--name', 'live')
    expect([done.stderr, done.stdout]).toEqual(['', `logged in to ${url} as admin; context live is the current one\n`])
    expect((await stat(join(home, 'config/roost/contexts.json'))).mode & 0o777).toBe(0o600)
    expect((await there('cluster', 'list', '-o', 'name')).stdout).toMatch(/^prod$/m)
  })

  it('lists contexts without keys, selects one by option or variable, and removes it', async () => {
    const listed = await there('context', 'list', '-o', 'json')
    expect(JSON.parse(listed.stdout)).toMatchObject([{ name: 'live', is_current: true, operator: 'admin' }])
    expect(listed.stdout).not.toContain(roost.key)
    const other = await runRoost(['cluster', 'list'], { ...elsewhere(), ROOST_CONTEXT: 'lab' })
    expect([other.code, other.stderr]).toEqual([3, "roost: There is no context 'lab'. Contexts: live.\n"])
    expect(
      (await runRoost(['--context', 'live', 'cluster', 'list'], { ...elsewhere(), ROOST_CONTEXT: 'lab' })).code,
    ).toBe(0)
    expect((await there('context', 'remove', 'live')).stdout).toBe('context live removed\n')
    expect(await readFile(join(home, 'config/roost/contexts.json'), 'utf8')).not.toContain(roost.key)
  })
})
