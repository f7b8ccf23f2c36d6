import { execFileSync } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { startAgentProcess } from '../support/agents/agent-program.js'
import { ScriptedControlPlane } from '../support/agents/scripted-control-plane.js'
import { enrolledState } from '../support/agents/test-agent.js'

it('a file that blocks each reader for ever stops its collector, and neither the others nor the stream', async () => {
  const server = await ScriptedControlPlane.start({ clock: () => Date.now() / 1_000 })
  const state = await enrolledState(`http://127.0.0.1:${server.port}`)
  server.script.publicKey = state.identity.publicKey
  server.script.settings = { report_interval_ms: 1_000, heartbeat_interval_ms: 1_000 }
  execFileSync('mkfifo', [join(state.dataDir, 'object.recon')])
  await writeFile(join(state.dataDir, 'account.recon'), '{"account_audits_passed": 5}')
  await writeFile(join(state.dataDir, 'config.json'), `{"swift": {"recon_cache_directory": "${state.dataDir}"}}`)
  const agent = startAgentProcess(state.dataDir)
  onTestFinished(async () => {
    await agent.kill9()
    await server.stop()
    await state.remove()
  })
  const lastValue = (name: string): number | undefined => {
    const at = server.catalogue?.metrics.findIndex((metric) => metric.name === name) ?? -1
    return at === -1 ? undefined : server.frames.at(-1)?.values[at]
  }

  // A FIFO without a writer blocks each reader, as a hanging driver does.
  await expect.poll(() => lastValue('roost.collector.recon.success'), { timeout: 60_000 }).toBe(0)
  const frames = server.frames.length
  await expect.poll(() => server.frames.length, { timeout: 60_000 }).toBeGreaterThan(frames + 15)
  expect(lastValue('roost.collector.recon.success')).toBe(0)
  expect(lastValue('load.shortterm')).toBeGreaterThanOrEqual(0)
  expect(lastValue('roost.collector.load.success')).toBe(1)
  expect(server.connected).toBe(1)
  expect(server.hellos).toHaveLength(1)
  expect(agent.output()).toContain('object.recon: does not answer')
  expect(await agent.stop()).toBe(0)
})
