import { spawnSync } from 'node:child_process'
import { generateKeyPairSync } from 'node:crypto'
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'

const program = fileURLToPath(new URL('../../bin/roost-agent.js', import.meta.url))
const lab = fileURLToPath(new URL('../inventory/fixtures/lab', import.meta.url))

let dir: string
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'roost-cli-'))
  cpSync(lab, join(dir, 'root'), { recursive: true })
  mkdirSync(join(dir, 'root/srv/node/d1'), { recursive: true })
  configure({ swift: { addresses: ['127.0.2.1'] } })
})
afterEach(() => rmSync(dir, { recursive: true, force: true }))

function configure(config: object): void {
  mkdirSync(join(dir, 'state'), { recursive: true })
  writeFileSync(join(dir, 'state/config.json'), JSON.stringify(config))
}

function agent(...args: readonly string[]) {
  const all = [program, '--data-dir', join(dir, 'state'), '--root', join(dir, 'root'), ...args]
  const { status, stdout, stderr } = spawnSync(process.execPath, all, { encoding: 'utf8', env: {} })
  return { status, stdout, stderr }
}

describe('roost-agent inventory', () => {
  it('prints what is reported, for people', () => {
    const { status, stdout, stderr } = agent('inventory')
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    expect(stdout).toMatch(/^Host\n {2}\S/)
    expect(stdout).toMatch(/^ {2}d1 +unmounted +gold,silver/m)
    expect(stdout).toMatch(/^ {2}d2 +missing +gold/m)
    expect(stdout).toMatch(/^ {2}object-1 +4 +3 +64 +2 +0968121a/m)
  })

  it('prints it for programs', () => {
    const { devices, policies } = JSON.parse(agent('inventory', '-o', 'json').stdout) as Record<
      string,
      { name: string }[]
    >
    expect(devices?.map(({ name }) => name)).toEqual(['d1', 'd2'])
    expect(policies?.map(({ name }) => name)).toEqual(['gold', 'silver'])
  })

  it('says that a ring cannot be used, and why', () => {
    writeFileSync(join(dir, 'root/etc/swift/object.ring.gz'), 'no ring')
    const { stdout } = agent('inventory')
    expect(stdout).toContain('unknown until the problems below are solved')
    expect(stdout).toMatch(
      /ring_unreadable: The ring \/etc\/swift\/object\.ring\.gz cannot be used: it is not a complete gzip/,
    )
  })
})

describe('roost-agent doctor', () => {
  it('fails when a device is not mounted, and says what to do', () => {
    const { status, stdout } = agent('doctor')
    expect(status).toBe(1)
    expect(stdout).toMatch(
      /devices +fail +0 of 2 mounted and readable \(d1 unmounted, d2 missing\): mount the devices that are not mounted/,
    )
    expect(stdout).toMatch(
      /enrollment +warn +this machine is not enrolled yet: run the line that `roost token create` prints\./,
    )
    expect(stdout).toContain('1 of 4 checks failed.')
  })

  it('passes where nothing is wrong', () => {
    rmSync(join(dir, 'root/etc'), { recursive: true })
    // systemd runs a machine that has this folder, also when it is empty.
    mkdirSync(join(dir, 'root/run/systemd/system'), { recursive: true })
    const { status, stdout } = agent('doctor')
    expect(status).toBe(0)
    expect(stdout).toMatch(/systemd +ok +is the service manager of this machine/)
    expect(stdout).toContain('No check failed.')
  })

  it('tells a control plane that cannot be reached, for programs too', () => {
    const enrollment = { server: 'https://127.0.0.1:1', node_id: 7, node_uuid: 'x', cluster: 'default' }
    const key = generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' })
    const identity = { private_key: key, installation_id: 'i', enrolment: enrollment }
    writeFileSync(join(dir, 'state/identity.json'), JSON.stringify(identity))
    const { status, stdout } = agent('doctor', '-o', 'json')
    expect(status).toBe(1)
    expect(JSON.parse(stdout)).toMatchObject([
      { check: 'state' },
      { check: 'systemd' },
      { check: 'enrollment', verdict: 'ok', message: 'node 7 of the cluster default, https://127.0.0.1:1' },
      { check: 'control plane', verdict: 'fail', message: expect.stringMatching(/cannot be reached .*ECONNREFUSED/) },
      { check: 'devices' },
    ])
  })

  it('lists every fault of the configuration, with exit code 2', () => {
    configure({ policies: [], swift: { adresses: [] } })
    const { status, stderr } = agent('doctor')
    expect(status).toBe(2)
    expect(stderr.trim().split('\n')).toHaveLength(2)
  })
})
