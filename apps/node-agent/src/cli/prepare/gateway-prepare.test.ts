import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import type { ScriptedGateway } from '../../shares/testing/scripted-servers.js'
import { useScriptedGateway } from '../../shares/testing/use-scripted-gateway.js'

const path = (name: string) => fileURLToPath(new URL(`../../../${name}`, import.meta.url))
const dropIn = '/etc/systemd/system/roost-agent.service.d/gateway.conf'
const unit = '/usr/lib/systemd/system/roost-agent.service'

let gateway: ScriptedGateway
useScriptedGateway((next) => (gateway = next))

function run(...args: readonly string[]) {
  const where = ['--root', gateway.root, '--data-dir', `${gateway.root}/agent`]
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [path('bin/roost-agent.js'), ...where, 'gateway', ...args],
    { encoding: 'utf8' },
  )
  return { status, stdout, stderr }
}

describe('roost-agent gateway prepare', () => {
  it('prints diffs, gives the unit of the agent its drop-in, and leave takes it back', () => {
    gateway.write(unit, readFileSync(path('systemd/roost-agent.service'), 'utf8'))
    gateway.write('/etc/exports.d/roost.exports', '')
    const { status, stdout } = run('prepare')
    expect(status).toBe(0)
    expect(stdout).toContain(`Writes ${dropIn}, which runs the agent as root, before the servers of shares.\n`)
    expect(stdout).toContain(`+++ b${dropIn}\n`)
    expect(stdout).toContain('+User=root\n')
    expect(existsSync(join(gateway.root, dropIn))).toBe(false)

    expect(run('prepare', '--yes').status).toBe(0)
    expect(gateway.read(dropIn)).toBe(readFileSync(path('assets/roost-agent-gateway.conf'), 'utf8'))
    expect(run('prepare').stdout).toContain('There is nothing to prepare.')
    expect(run('leave', '--yes').status).toBe(0)
    expect(existsSync(join(gateway.root, '/etc/systemd/system'))).toBe(false)
  })

  it('leaves the unit to the supervisor where systemd does not start the agent', () => {
    expect(run('prepare', '--yes')).toMatchObject({ status: 0, stderr: '' })
    expect(existsSync(join(gateway.root, dropIn))).toBe(false)
  })
})
