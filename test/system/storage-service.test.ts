import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { enrollmentArguments } from '../support/agents/enrollment.js'
import { addCluster } from '../support/agents/fleet-rows.js'
import { startApi } from '../support/http/api.js'
import type { TestApi } from '../support/http/api.js'
import { repository } from '../support/http/control-plane.js'
import { startMachine } from '../support/swift/machine.js'
import type { Machine } from '../support/swift/machine.js'
import { bootContainer } from '../support/systemd/container.js'
import type { SystemdContainer } from '../support/systemd/container.js'
import { findSystemdRoot } from '../support/systemd/root.js'

const waitOptions = { timeout: 180_000, interval: 500 }
const packaged = (file: string) => readFileSync(join(repository, 'apps/node-agent/systemd', file), 'utf8')
const masked = ['smbd', 'nmbd', 'samba-ad-dc', 'winbind', 'systemd-networkd'].map((name) => `${name}.service`)
/** A configuration of its own, as Debian's package of it has one; the program is that of the library. */
const expirer = [
  [
    '/etc/swift/object-expirer.conf',
    `[DEFAULT]
log_name = swift-object-expirer
[object-expirer]
interval = 300
[pipeline:main]
pipeline = catch_errors proxy-logging cache proxy-server
[app:proxy-server]
use = egg:swift#proxy
[filter:cache]
use = egg:swift#memcache
[filter:catch_errors]
use = egg:swift#catch_errors
[filter:proxy-logging]
use = egg:swift#proxy_logging
`,
  ],
  [
    '/usr/local/bin/swift-object-expirer',
    `import sys
from swift.common.daemon import run_daemon
from swift.obj.expirer import ObjectExpirer
run_daemon(ObjectExpirer, sys.argv[1])
`,
  ],
  [
    '/etc/systemd/system/swift-object-expirer.service',
    `[Service]
User=swift
ExecStart=/usr/bin/python3 /usr/local/bin/swift-object-expirer /etc/swift/object-expirer.conf
`,
  ],
] as const
const files = [
  ['/etc/systemd/system/roost-agent.service', packaged('roost-agent.service')],
  ['/usr/lib/sysusers.d/roost-agent.conf', packaged('roost-agent.sysusers')],
  ...expirer,
] as const
/** What an operator has: Debian's files, and two object servers, one of which reads a folder. */
const startServers = `cd /etc/swift
  for ring in account container object; do
    swift-ring-builder $ring.builder create 4 1 1 >/dev/null
    swift-ring-builder $ring.builder add --region 1 --zone 1 --ip 127.0.0.1 --port 6200 --device d1 --weight 1 >/dev/null
    swift-ring-builder $ring.builder rebalance >/dev/null
  done
  chgrp swift *.ring.gz && chmod 640 *.ring.gz
  mkdir -p object-server object-server.conf.d /srv/node /etc/systemd/system/swift-object.service.d
  sed 's/^bind_port = .*/bind_port = 6210/' object-server.conf >object-server/1.conf
  mv object-server.conf object-server.conf.d/10-base.conf
  printf '[Unit]\\nConditionFileNotEmpty=\\n[Service]\\nExecStart=\\nExecStart=/usr/bin/swift-object-server /etc/swift/object-server.conf.d/\\n' \\
    >/etc/systemd/system/swift-object.service.d/own.conf
  systemctl daemon-reload
  systemctl start swift-object swift-object@1 swift-object-auditor@1 swift-account swift-account-auditor swift-object-expirer`

const found = await findSystemdRoot(['swift-account', 'swift-container', 'swift-object', 'curl'])
const skipped = 'missing' in found ? ` (not here: ${found.missing})` : ''

describe.skipIf(skipped !== '')(`storage servers of Debian under systemd${skipped}`, { timeout: 400_000 }, () => {
  let api: TestApi
  let machine: Machine
  let node: SystemdContainer
  let before: string

  /** Every file of the system's configuration with mode, owner, target and digest. */
  const tree = () =>
    node.exec(`find /etc ! -name machine-id ! -name resolv.conf -printf '%p %m %u:%g %l ' \\
      \\( -type f -exec sha256sum {} \\; -o -printf '\\n' \\) | sort`)
  const started = async (...units: readonly string[]) =>
    (await node.exec(`systemctl show --value -P ActiveEnterTimestampMonotonic ${units.join(' ')}`))
      .split('\n')
      .filter(Boolean)
  const restarted = [
    'swift-object',
    'swift-object@1',
    'swift-object-auditor@1',
    'swift-account',
    'swift-account-auditor',
    'swift-object-expirer',
  ]

  beforeAll(async () => {
    if ('missing' in found) return
    ;[api, machine] = await Promise.all([startApi(), startMachine()])
    await machine.publish(Number(new URL(api.url).port))
    node = await bootContainer(machine, { root: found.path, files, masked })
    await node.exec(`ln -s ${repository}/apps/node-agent/bin/roost-agent.js /usr/bin/roost-agent
      systemd-sysusers && systemctl daemon-reload
      install -d -o roost-agent -g roost-agent /var/lib/roost-agent
      ${startServers}`)
    before = await tree()
  }, 600_000)
  afterAll(async () => {
    await machine?.remove()
    await api?.stop()
  })

  it('are prepared by one command, which names the units that it restarts', async () => {
    const shown = await node.exec('roost-agent storage prepare')
    expect(shown).toMatch(
      /have to be restarted once\. .* Run `systemctl try-restart [^`]+` afterwards, or add --restart-servers\./,
    )
    for (const unit of restarted) expect(shown).toContain(` ${unit}.service`)
    expect(shown).not.toContain('swift-container.service')
    expect(await tree()).toBe(before)
    const earlier = await started(...restarted)
    const { code, stdout, stderr } = await node.run('roost-agent', ['storage', 'prepare', '--yes', '--restart-servers'])
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toMatch(/Runs `systemctl try-restart [^`]+`\.\nDone\.\n$/)
    const later = await started(...restarted)
    expect([earlier, later].map(({ length }) => length)).toEqual([restarted.length, restarted.length])
    for (const [i, at] of later.entries()) expect(Number(at)).toBeGreaterThan(Number(earlier[i]))
    expect(await node.exec('systemctl is-active swift-container || true')).toBe('inactive\n')
    expect(await node.exec('roost-agent storage prepare --yes')).toContain('There is nothing to do.')
  })

  it('send their statistics to the agent', async () => {
    const cluster = await addCluster(api.database)
    const enrolled = await node.run('roost-agent', await enrollmentArguments(api, cluster))
    expect(enrolled).toMatchObject({ code: 0 })
    await node.exec('systemctl enable --now roost-agent || { journalctl -u roost-agent >&2; exit 1; }')
    const ask = 'curl -sI -m 5'
    const names = async () => {
      await node.exec(`${ask} http://127.0.0.1:6202/d1/0/a || true; ${ask} http://127.0.0.1:6210/d1/0/a/c/o || true`)
      const { body } = await api.get(`/api/v1/clusters/${cluster}/metrics/list/`)
      return (body.metrics as readonly { readonly metric_name: string }[])
        .map(({ metric_name: name }) => name)
        .filter((name) => /^(account|object)-server\.HEAD\..*timing\.count$/.test(name))
    }
    await expect.poll(names, waitOptions).toHaveLength(2)
  })

  it('are as before after leave, to the byte', async () => {
    await node.exec('systemctl disable --now roost-agent')
    const { code, stdout } = await node.run('roost-agent', ['storage', 'leave', '--yes', '--restart-servers'])
    expect([code, stdout]).toEqual([0, expect.stringMatching(/Runs `systemctl try-restart [^`]+`\.\nDone\.\n$/)])
    expect(await tree()).toBe(before)
    expect(await node.exec('systemctl is-active swift-object swift-object@1 swift-account swift-object-expirer')).toBe(
      'active\n'.repeat(4),
    )
  })
})
