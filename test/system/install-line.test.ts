import { cp, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { EnrollmentTokenInput } from '@roost/api-types/rpc'
import { testCaller } from '../support/agents/enrollment.js'
import { addCluster } from '../support/agents/fleet-rows.js'
import { startApi } from '../support/http/api.js'
import type { TestApi } from '../support/http/api.js'
import { buildPackages, ownArch } from '../support/programs/packages.js'
import { startMachine } from '../support/swift/machine.js'
import type { Machine } from '../support/swift/machine.js'
import { bootContainer } from '../support/systemd/container.js'
import type { SystemdContainer } from '../support/systemd/container.js'
import { findSystemdRoot } from '../support/systemd/root.js'

const version = '1.0.0'
const waitOptions = { timeout: 60_000, interval: 200 }
// Named as a release that this control plane offers.
const offered = `roost-agent_0.0.1_${ownArch}.deb`
const masked = ['smbd', 'nmbd', 'samba-ad-dc', 'winbind', 'systemd-networkd'].map((name) => `${name}.service`)
const pasteAgain = /paste the line again\.\n$/
// Before any other program of the system.
const shims = '/srv/shims'

const found = await findSystemdRoot()
const skipped = 'missing' in found ? ` (not here: ${found.missing})` : ''

describe.skipIf(skipped !== '')(`the line of a new node, on a Debian with systemd${skipped}`, () => {
  let api: TestApi
  let machine: Machine
  let node: SystemdContainer
  let cluster: number

  const newLine = async (input: Partial<EnrollmentTokenInput> = {}) => {
    const created = await api.context.services.tokens.create({ cluster, ...input }, testCaller)
    return { token: created.token, line: created.install ?? '' }
  }
  const paste = (line: string) => node.run('sh', ['-c', `PATH=${shims}:$PATH; ${line}`])
  /** What a failure must not leave. */
  const leftovers = () =>
    node.exec(`ls -d /usr/bin/roost-agent /usr/lib/roost-agent /var/lib/roost-agent* /var/tmp/roost.* 2>/dev/null || true
      dpkg-query -W -f='\${Package} \${db:Status-Status}\\n' roost-agent 2>/dev/null | grep -v ' not-installed$' || true`)
  const shim = (program: string, script: string) =>
    node.exec(`mkdir -p ${shims} && printf '#!/bin/sh\\n%s\\n' '${script}' >${shims}/${program}
      chmod 755 ${shims}/${program}`)
  const nodes = async () =>
    (await api.get('/api/v1/nodes/')).body.objects as readonly { readonly id: number; readonly state: string }[]

  beforeAll(async () => {
    if ('missing' in found) return
    const build = buildPackages({ version, only: ['roost-agent'], archs: [ownArch], formats: ['deb'] })
    const [built] = await Promise.all([build, startApi().then((started) => (api = started))])
    const folder = join(api.controlPlane.dataDir, 'packages')
    await mkdir(folder)
    await cp(join(built, `roost-agent_${version}_${ownArch}.deb`), join(folder, offered))
    machine = await startMachine()
    await machine.publish(Number(new URL(api.url).port))
    node = await bootContainer(machine, { root: found.path, files: [], masked })
    cluster = await addCluster(api.database)
  }, 600_000)
  afterAll(async () => {
    await machine?.remove()
    await api?.stop()
  })

  describe('fails with one sentence, and leaves nothing', () => {
    it.each([
      ['a token that does not exist', (line: string) => line.replace(/enroll \w+/, `enroll ${'0'.repeat(40)}`)],
      ['another key', (line: string) => line.replace(/sha256\/\/[\w+/]{43}/, `sha256//${'A'.repeat(43)}`)],
      ['an account that is not root', (line: string) => line.replace(/\| sh$/, '| setpriv --reuid 65534 sh')],
    ])('%s', async (_what, changed) => {
      const { code, stderr } = await paste(changed((await newLine()).line))
      expect([code, stderr]).toEqual([1, expect.stringMatching(/roost token create|"\| sudo sh"/)])
      expect(await leftovers()).toBe('')
    })

    it('a token that has expired', async () => {
      const { line } = await newLine()
      await api.database.prisma.enrollmentToken.updateMany({ data: { expiresAt: new Date(0) } })
      const { code, stderr } = await paste(line)
      expect([code, stderr]).toEqual([1, expect.stringContaining('Create a new one with `roost token create`')])
      expect(stderr.trim().split('\n')).toHaveLength(1)
      expect(await leftovers()).toBe('')
    })

    it.each([
      ['too little space for the download', '/var/tmp', 'MiB of free space at /var/tmp'],
      ['a disk that is full while it is unpacked', '/usr/lib/roost-agent', 'No space left on device'],
    ])('%s', async (_what, folder, message) => {
      await node.exec(`mkdir -p ${folder} && mount -t tmpfs -o size=8m tmpfs ${folder}`)
      const { code, stderr } = await paste((await newLine()).line)
      await node.exec(`umount ${folder} && { [ ${folder} = /var/tmp ] || rmdir ${folder}; }`)
      expect([code, stderr]).toEqual([1, expect.stringContaining(message)])
      expect(stderr).toMatch(pasteAgain)
      expect(await leftovers()).toBe('')
    })

    it.each([
      [
        'a clock that is off',
        'date',
        'echo $(($(/usr/bin/date +%s) + 7200))',
        /clock of this machine differs by 7\d{3} s/,
      ],
      ['another processor', 'uname', 'echo riscv64', /no package for this processor, riscv64/],
      ['a processor without a package', 'uname', 'echo aarch64', /no package for arm64 in the format deb/],
    ])('%s', async (_what, program, script, message) => {
      await shim(program, script)
      const { code, stderr } = await paste((await newLine()).line)
      await node.exec(`rm ${shims}/${program}`)
      expect([code, stderr]).toEqual([1, expect.stringMatching(message)])
      expect(await leftovers()).toBe('')
    })

    it.each([
      ['Debian 11', 'ID=debian\nVERSION_ID="11"'],
      ['openSUSE', 'ID=opensuse-leap\nID_LIKE="suse opensuse"\nVERSION_ID="15.6"'],
    ])('a system without a package: %s', async (_what, release) => {
      await node.exec(
        `printf '%s\\n' '${release}' >/run/os-release && mount --bind /run/os-release /usr/lib/os-release`,
      )
      const { code, stderr } = await paste((await newLine()).line)
      await node.exec('umount /usr/lib/os-release')
      expect([code, stderr]).toEqual([1, expect.stringMatching(/^Roost: There is no package for this system, .+\n$/)])
      expect(await leftovers()).toBe('')
    })

    it('an agent that no package has installed', async () => {
      await node.exec('ln -s /bin/true /usr/bin/roost-agent')
      const { code, stderr } = await paste((await newLine()).line)
      await node.exec('rm /usr/bin/roost-agent')
      expect([code, stderr]).toEqual([1, expect.stringContaining('an agent at /usr/bin/roost-agent that no package')])
      expect(await leftovers()).toBe('')
    })

    it('a package that was changed on its way', async () => {
      await shim('sha256sum', 'exit 1')
      const { code, stderr } = await paste((await newLine()).line)
      await node.exec(`rm ${shims}/sha256sum`)
      expect([code, stderr]).toEqual([1, expect.stringContaining('has another SHA-256')])
      expect(await leftovers()).toBe('')
    })
  })

  it('says what it would do with --dry-run, and does nothing', async () => {
    const { line } = await newLine({ roles: ['runs_gateway'], prepare: true })
    const { code, stdout } = await paste(`${line} --dry-run`)
    expect(code).toBe(0)
    expect(stdout).toContain(`- download ${offered} (`)
    expect(stdout).toContain('- prepare it as gateway')
    expect(await leftovers()).toBe('')
    expect(await nodes()).toEqual([])
  })

  it('makes a node that is online, and no process has its token in the command line', async () => {
    const { line, token } = await newLine({ roles: ['runs_gateway'], prepare: true })
    // As a shell of root reads it, which has no such command line itself; the process that writes it here has one.
    await node.exec(`cat >/run/line <<'end'\n${line}\nend`)
    await node.exec(
      '(until [ -e /run/seen.end ]; do cat /proc/[0-9]*/cmdline || true; sleep 0.05; done) >/run/seen 2>/dev/null &',
    )
    const { code, stdout, stderr } = await node.run('sh', ['/run/line'])
    expect([code, stderr]).toEqual([0, ''])
    expect(stdout).toMatch(/^This node is online\. Its log: journalctl -u roost-agent\./m)
    // It is written with the first messages of the agent.
    await expect.poll(nodes, waitOptions).toMatchObject([{ state: 'online', agent_version: version }])
    const seen = await node.exec("touch /run/seen.end; tr '\\0' ' ' </run/seen")
    expect(seen).toMatch(/roost-agent enroll|dpkg --install/)
    expect(seen).not.toContain(token)
    expect(await node.exec('systemctl is-enabled roost-agent')).toBe('enabled\n')
    expect(await node.exec('stat -c "%a %u %n" /var/lib/roost-agent-upgrade/kept/*')).toBe(
      `644 0 /var/lib/roost-agent-upgrade/kept/roost-agent-${version}.deb\n`,
    )
  })

  it('says so on a machine that is a node', async () => {
    const { code, stdout } = await paste((await newLine()).line)
    expect([code, stdout]).toEqual([
      0,
      expect.stringMatching(/^This machine is a node of \S+ already\. Nothing was changed\.\n$/),
    ])
    expect(await nodes()).toHaveLength(1)
  })

  it('is left again by one line', async () => {
    const planned = await node.exec('roost-agent uninstall')
    expect(planned).toContain('Runs `dpkg --purge roost-agent`')
    expect(await node.exec('systemctl is-active roost-agent')).toBe('active\n')
    const [known] = await nodes()
    const left = await node.exec('roost-agent uninstall --yes')
    expect(left).toContain(`remove the node: roost node remove ${known?.id}\n`)
    expect(await leftovers()).toBe('')
    expect(await node.exec('cat /etc/samba/smb.conf')).not.toContain('roost')
    await expect.poll(nodes, waitOptions).not.toMatchObject([{ state: 'online' }])
  })

  it('comes back by another line', async () => {
    expect(await paste((await newLine()).line)).toMatchObject({ code: 0 })
    await expect.poll(async () => (await nodes()).map(({ state }) => state), waitOptions).toContain('online')
  })
})
