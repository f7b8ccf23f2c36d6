import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { renderShares } from '@roost/node-agent/dist/shares/index.js'
import { locations } from '@roost/node-agent/dist/shares/testing/rendered-shares.js'
import { type ScriptedGateway, scriptedGateway } from '@roost/node-agent/dist/shares/testing/scripted-servers.js'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { repository } from '../support/http/control-plane.js'
import { sharesOf } from '../support/gateway/gateway-program.js'

const program = join(repository, 'test/dist/support/gateway/gateway-program.js')
const isLong = Boolean(process.env.ROOST_TEST_LONG)
const runs = isLong ? 40 : 2

let gateway: ScriptedGateway
beforeEach(() => {
  gateway = scriptedGateway()
})
afterEach(() => gateway.remove())

/** Applies a generation in a process of its own, and answers what it said before its end. */
function apply(generation: number, failpoint = '') {
  const { stdout, signal } = spawnSync(
    process.execPath,
    ['--conditions=failpoints', program, gateway.root, String(generation)],
    { encoding: 'utf8', env: { FP: failpoint }, killSignal: 'SIGKILL' },
  )
  return { signal, outcome: stdout === '' ? null : (JSON.parse(stdout) as { outcome: string; in_force: number }) }
}

/** The files of a generation, whole. */
function filesOf(generation: number): readonly { readonly path: string; readonly content: string }[] {
  const options = { servers: { nfs: 'kernel', cifs: 'samba' }, locations: { ...locations }, generation } as const
  return renderShares(sharesOf(generation), options)
}

// The second time is that of the second protocol, when the first one has its new generation already.
describe.each([
  'agent.apply.afterStage=exit',
  'agent.apply.afterValidate=exit',
  'agent.apply.afterRename=exit',
  'agent.apply.afterReload=exit',
  'agent.store.afterTmpBeforeRename=exit',
  'agent.apply.afterValidate=exit@2',
  'agent.apply.afterRename=exit@2',
  'agent.apply.afterReload=exit@2',
])('an agent that is killed at %s', (failpoint) => {
  it(
    'leaves whole files of one generation or the other, and ends the deployment after its next start',
    { timeout: 600_000 },
    () => {
      expect(apply(1).outcome).toMatchObject({ outcome: 'applied' })
      for (let generation = 2; generation < 2 + runs; generation++) {
        expect(apply(generation, failpoint).signal).toBe('SIGKILL')
        const [before, after] = [filesOf(generation - 1), filesOf(generation)]
        for (const [i, { path, content }] of after.entries())
          expect([before[i]?.content, content]).toContain(gateway.read(path))
        expect(apply(generation).outcome).toMatchObject({ outcome: 'applied', in_force: generation })
        for (const { path, content } of after) expect(gateway.read(path)).toBe(content)
        expect(gateway.read('/var/lib/nfs/etab')).toContain(`10.${generation}.0.0/16`)
        expect(existsSync(join(gateway.root, 'state/under-way.json'))).toBe(false)
        expect(gateway.read('/etc/exports.d/roost.exports.new')).toBeUndefined()
      }
    },
  )
})
