import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openMachine } from '../../machine/machine.js'
import { testHost, valuesByName } from '../testing/test-host.js'
import { createReconAnswers } from './recon-answers.js'
import { createReconClient, reconServers } from '../../swift/recon/recon-client.js'

const now = 1_795_173_900
/** As Swift 2.30.1 answers. */
const swift: Readonly<Record<string, unknown>> = {
  quarantined: { objects: 3, containers: 1, accounts: 0, policies: { '0': { objects: 2 }, '1': { objects: 1 } } },
  unmounted: [{ device: 'd5', mounted: false }],
  driveaudit: { drive_audit_errors: null },
  time: now + 2,
  async: { async_pending: 2, async_pending_last: now - 5 },
  'replication/object': { object_replication_time: 0.5, object_replication_last: now - 7 },
  'auditor/object': { object_auditor_stats_ALL: { passes: 1 }, object_auditor_stats_ZBF: null },
  'replication/account': { replication_time: 3, replication_last: now - 9, replication_stats: { attempted: 4 } },
}

let root: string
let server: Server
let asked: string[]
let port: number
beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), 'roost-recon-'))
  asked = []
  server = createServer((request, response) => {
    const path = (request.url ?? '').slice('/recon/'.length)
    asked.push(path)
    if (path in swift) response.end(JSON.stringify(swift[path]))
    else response.writeHead(404).end('Invalid path')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  port = (server.address() as AddressInfo).port
})
afterEach(async () => {
  rmSync(root, { recursive: true })
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
})

async function read(servers = [{ host: '127.0.0.1', port }]): Promise<Readonly<Record<string, number>>> {
  const ask = createReconClient({ servers: () => servers, deadlineMs: 10_000 })
  const collector = createReconAnswers({ ask, directory: '/cache', now: () => now * 1_000 })
  return valuesByName(collector, testHost(root))
}

describe('answers of Swift’s servers', () => {
  it('have the values that are in no file, and those of caches that are closed', async () => {
    expect(await read()).toEqual({
      'recon.account.quarantined': 0,
      'recon.container.quarantined': 1,
      'recon.object.quarantined': 3,
      'recon.object.quarantined_of_policy.0': 2,
      'recon.object.quarantined_of_policy.1': 1,
      'recon.object.unmounted': 1,
      'recon.object.drive_audit_errors': Number.NaN,
      'recon.object.time_offset': 2,
      'recon.account.replication.duration': 3,
      'recon.account.replication.age': 9,
      'recon.account.replication.attempted': 4,
      'recon.object.async_pending': 2,
      'recon.object.async_pending_age': 5,
      'recon.object.auditor.ALL.passes': 1,
      'replication.ALL.duration': 30,
      'replication.ALL.age': 7,
    })
  })

  it('leave out daemons whose caches the agent reads', async () => {
    mkdirSync(join(root, 'cache'))
    for (const kind of ['account', 'container', 'object']) writeFileSync(join(root, `cache/${kind}.recon`), '{}')
    await read()
    expect(asked.toSorted()).toEqual(['driveaudit', 'quarantined', 'time', 'unmounted'])
  })

  it('come from the next server when one does not answer', async () => {
    expect(
      await read([
        { host: '127.0.0.1', port: 1 },
        { host: '127.0.0.1', port },
      ]),
    ).toMatchObject({
      'recon.object.quarantined': 3,
    })
  })

  it('come from the server that answered last, without waiting for one that hangs', async () => {
    const hanging = createServer(() => {})
    await new Promise<void>((resolve) => hanging.listen(0, '127.0.0.1', resolve))
    const silent = { host: '127.0.0.1', port: (hanging.address() as AddressInfo).port }
    let hung = 0
    hanging.on('connection', () => hung++)
    const ask = createReconClient({ servers: () => [silent, { host: '127.0.0.1', port }], deadlineMs: 2_000 })
    for (let i = 0; i < 5; i++) expect(await ask('time')).toBe(now + 2)
    expect(hung).toBe(1)
    hanging.closeAllConnections()
    hanging.close()
  })

  it('are empty when no server answers', async () => {
    expect(await read([{ host: '127.0.0.1', port: 1 }])).toEqual({})
    expect(await read([])).toEqual({})
  })

  it('come from the addresses of the servers’ configuration', () => {
    mkdirSync(join(root, 'etc/swift/container-server'), { recursive: true })
    writeFileSync(join(root, 'etc/swift/object-server.conf'), '[DEFAULT]\nbind_ip = 10.0.0.7\nbind_port = 6010\n')
    writeFileSync(join(root, 'etc/swift/container-server/1.conf'), '[DEFAULT]\nbind_port = 6011\n')
    writeFileSync(join(root, 'etc/swift/account-server.conf'), '[DEFAULT]\nworkers = 1\n')
    expect(reconServers(openMachine(root), '/etc/swift')).toEqual([
      { host: '10.0.0.7', port: 6010 },
      { host: '127.0.0.1', port: 6011 },
      { host: '127.0.0.1', port: 6202 },
    ])
  })
})
