import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { enrollmentArguments } from '../support/agents/enrollment.js'
import { addCluster } from '../support/agents/fleet-rows.js'
import { waitForJob } from '../support/gateway/deployment-lab.js'
import { startApi } from '../support/http/api.js'
import type { TestApi } from '../support/http/api.js'
import { repository } from '../support/http/control-plane.js'
import { startSwift } from '../support/swift/cluster.js'
import type { Swift } from '../support/swift/cluster.js'
import { bootContainer } from '../support/systemd/container.js'
import type { SystemdContainer } from '../support/systemd/container.js'
import { findSystemdRoot } from '../support/systemd/root.js'

const waitMs = 180_000
const waitOptions = { timeout: waitMs, interval: 500 }
const dataDir = '/var/lib/roost-agent'
const folder = '/etc/swift/proxy-server.conf.d'
const packaged = (file: string) => readFileSync(join(repository, 'apps/node-agent/systemd', file), 'utf8')
const files = [
  ['/etc/systemd/system/roost-agent.service', packaged('roost-agent.service')],
  ['/usr/lib/sysusers.d/roost-agent.conf', packaged('roost-agent.sysusers')],
  [`${dataDir}/config.json`, '{"usage": {"transfer_interval_seconds": 1}, "devices": []}\n'],
] as const
const masked = ['smbd', 'nmbd', 'samba-ad-dc', 'winbind', 'systemd-networkd'].map((name) => `${name}.service`)

/** Prints settings as Swift's own loader reads them, as its servers do. */
const load = `from swift.common import wsgi
from paste.deploy import loadwsgi
folder = '${folder}'
app = wsgi.appconfig(folder, name='proxy-server')
log = wsgi.loadcontext(loadwsgi.FILTER, folder, name='proxy-logging').config()
print(app['log_statsd_host'], app['log_statsd_port'], app['bind_port'], app['workers'], log['access_log_name'])`

const found = await findSystemdRoot(['swift-proxy', 'memcached', 'rsyslog', 'logrotate', 'curl'])
const skipped = 'missing' in found ? ` (not here: ${found.missing})` : ''

describe.skipIf(skipped !== '')(`a proxy of Debian under systemd${skipped}`, { timeout: 400_000 }, () => {
  let swift: Swift
  let api: TestApi
  let proxy: SystemdContainer
  let cluster: number
  let before: string

  /** Every file of the system's configuration with mode, owner, target and digest. */
  const tree = () =>
    proxy.exec(`find /etc ! -name machine-id ! -name resolv.conf -printf '%p %m %u:%g %l ' \\
      \\( -type f -exec sha256sum {} \\; -o -printf '\\n' \\) | sort; stat -c %a:%U ${dataDir}/config.json; cat ${dataDir}/config.json`)
  const logIn = async (user: string, key: string) => {
    const answer = await proxy.exec(
      `curl -si -H 'X-Auth-User: ${user}' -H 'X-Auth-Key: ${key}' http://127.0.0.1:8090/auth/v1.0 || true`,
    )
    const field = (name: string) => new RegExp(`^${name}: (.*?)\\r?$`, 'im').exec(answer)?.[1] ?? ''
    return { status: /^HTTP\/1.1 (\d+)/.exec(answer)?.[1], token: field('X-Auth-Token'), url: field('X-Storage-Url') }
  }
  const post = async (path: string, body: object) => {
    const answer = await api.call(path, { method: 'POST', body })
    if (answer.status > 201) throw new Error(`POST ${path} answers ${answer.status}: ${answer.text}`)
    return answer.body
  }

  beforeAll(async () => {
    if ('missing' in found) return
    ;[api, swift] = await Promise.all([startApi(), startSwift()])
    const deployed = swift.nodes[0].path('/etc/swift')
    proxy = await bootContainer(swift.machine, { root: found.path, files, masked, deployed })
    // The operator's own configuration: Debian's file with another port and fewer workers, and the rings of the cluster.
    await proxy.exec(`ln -s ${repository}/apps/node-agent/bin/roost-agent.js /usr/bin/roost-agent
      systemd-sysusers && systemctl daemon-reload && chown -R roost-agent: ${dataDir}
      sed -i -e 's/^bind_port = .*/bind_port = 8090/; s/^workers = .*/workers = 2/' \\
        -e '/^\\[app:proxy-server\\]/a account_autocreate = true' /etc/swift/proxy-server.conf
      install -o root -g swift -m 640 /srv/deployed/*.ring.gz /srv/deployed/swift.conf /etc/swift/
      systemctl start memcached swift-proxy`)
    await vi.waitFor(async () => {
      const { status } = await logIn('test:tester', 'testing')
      if (status !== '200') throw new Error('The proxy does not answer yet.')
    }, waitOptions)
    cluster = await addCluster(api.database)
    await swift.publish(Number(new URL(api.url).port))
    before = await tree()
  }, 600_000)
  afterAll(async () => {
    await api?.stop()
    await swift?.stop()
  })

  it('is prepared by one command, which Swift loads before anything is written, and goes on serving', async () => {
    const shown = await proxy.exec('roost-agent proxy prepare')
    expect(shown).toContain('The proxy has to be restarted once.')
    expect(shown).toContain('Runs `systemctl try-restart rsyslog.service`.')
    expect(await tree()).toBe(before)
    const { code, stdout, stderr } = await proxy.run('roost-agent', ['proxy', 'prepare', '--yes', '--restart-proxy'])
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toMatch(/Done\.\n$/)
    expect(stdout).not.toContain('Warning')
    expect(await proxy.exec('systemctl show -P ExecStart swift-proxy')).toContain(`swift-proxy-server ${folder} ;`)
    await expect.poll(() => logIn('test:tester', 'testing'), waitOptions).toMatchObject({ status: '200' })
    expect(await proxy.exec('roost-agent proxy prepare --yes')).toContain('There is nothing to do.')
  })

  it('has the settings as the loader of Swift reads them', async () => {
    const { stdout } = await proxy.run('python3', ['-c', load])
    expect(stdout).toBe('127.0.0.1 8125 8090 2 proxy-access\n')
  })

  it('gets users from an agent without rights of root, which reloads it', async () => {
    const enrolled = await proxy.run('roost-agent', await enrollmentArguments(api, cluster))
    expect(enrolled).toMatchObject({ code: 0 })
    await proxy.exec('systemctl enable --now roost-agent || { journalctl -u roost-agent >&2; exit 1; }')
    const online = async () => (await api.get('/api/v1/nodes/?state=online&runs_proxy=true')).body.meta.total_count
    await expect.poll(online, waitOptions).toBe(1)
    const account = await proxy.exec('ps -o user= -p $(systemctl show -P MainPID roost-agent)')
    expect(account.trim()).toBe('roost-agent')
    const uri = `/api/v1/clusters/${cluster}/`
    await post('/api/v1/users/', { cluster: uri, user: 'bob', password: 'bobs-password-is-this-1' })
    const job = await waitForJob(
      (path) => api.get(path),
      await post('/api/v1/user_db_deployments/', { cluster: uri }),
      waitMs,
    )
    expect(job).toMatchObject({ state: 'COMPLETED_SUCCESS', message: '' })
    expect(await logIn('bob:bob', 'bobs-password-is-this-1')).toMatchObject({ status: '200' })
  })

  it('counts what clients move by the access log of rsyslog, and sends its statistics', async () => {
    const start = new Date().toISOString()
    const { token, url } = await logIn('bob:bob', 'bobs-password-is-this-1')
    const put = (path: string) =>
      proxy.exec(`printf %012345d 0 | curl -s -o /dev/null -w '%{http_code}' -X PUT \\
        -H 'X-Auth-Token: ${token}' --data-binary @- ${url}/${path}`)
    expect([await put('docs'), await put('docs/a')]).toEqual(['201', '201'])
    const moved = async () => {
      const path = `/api/v1/clusters/${cluster}/utilization/transfer/AUTH_bob/?start=${start}`
      return (await api.get(path)).body.objects[0]?.bytes_in
    }
    await expect.poll(moved, waitOptions).toBeGreaterThanOrEqual(12_345)
    expect(await proxy.exec('grep -c AUTH_bob /var/log/swift/proxy-access.log')).not.toBe('0\n')
    const names = async () => (await api.get(`/api/v1/clusters/${cluster}/metrics/list/`)).text
    await vi.waitFor(async () => expect(await names()).toContain('proxy-server.object.PUT.201'), waitOptions)
  })

  it('is as before after leave, to the byte, and serves its own users', async () => {
    const refused = await proxy.run('roost-agent', ['proxy', 'leave', '--yes'])
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('--end-users') })
    const early = await proxy.run('roost-agent', ['proxy', 'leave', '--yes', '--end-users'])
    expect(early).toMatchObject({ code: 1, stderr: expect.stringContaining('Add --restart-proxy.') })
    const left = await proxy.run('roost-agent', ['proxy', 'leave', '--yes', '--end-users', '--restart-proxy'])
    expect(left).toMatchObject({ code: 0, stderr: '' })
    await proxy.exec('systemctl disable --now roost-agent')
    expect(await tree()).toBe(before)
    await expect.poll(() => logIn('test:tester', 'testing'), waitOptions).toMatchObject({ status: '200' })
    expect(await logIn('bob:bob', 'bobs-password-is-this-1')).toMatchObject({ status: '401' })
  })
})
