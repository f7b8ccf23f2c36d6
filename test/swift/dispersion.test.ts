import { writeFile } from 'node:fs/promises'
import { setImmediate } from 'node:timers/promises'
import { createNodeProblems } from '@roost/node-agent/dist/machine/problems.js'
import type { RunCommand } from '@roost/node-agent/dist/machine/run-command.js'
import { watchDispersion } from '@roost/node-agent/dist/swift/services/dispersion.js'
import { TestClock } from '@roost/testing'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { isSwiftEnabled, startSwift } from '../support/swift/cluster.js'
import type { Swift } from '../support/swift/cluster.js'

const hourMs = 3_600_000

describe.skipIf(!isSwiftEnabled)('the dispersion of a real Swift (as root, with ROOST_TEST_SYSTEM=1)', () => {
  let swift: Swift
  beforeAll(async () => {
    swift = await startSwift()
    const [node] = swift.nodes
    const login = [`auth_url = ${swift.innerProxyUrl}/auth/v1.0`, 'auth_user = test:tester', 'auth_key = testing']
    const settings = [...login, 'dispersion_coverage = 25', 'retries = 1']
    await writeFile(node.path('/etc/swift/dispersion.conf'), ['[dispersion]', ...settings, ''].join('\n'))
  })
  afterAll(() => swift.stop())

  it('is measured by its own program: before it is populated, with all copies, without those of a device', async () => {
    const [node, other] = swift.nodes
    const [clock, problems] = [new TestClock(), createNodeProblems()]
    const run: RunCommand = async (file, args) => {
      const { code, stdout, stderr } = await node.run(file, args)
      return { outcome: 'exited', exitCode: Number(code), stdout, stderr, ended: Promise.resolve() }
    }
    const watch = watchDispersion({
      run,
      program: 'swift-dispersion-report',
      intervalMs: hourMs,
      policies: () => ['gold', 'silver'],
      problems,
      clock,
      onError: (error) => expect.fail(String(error)),
    })
    onTestFinished(() => watch.stop())
    const measured = async () => {
      const changed = new Promise<void>((resolve) => void problems.onChange(() => resolve()))
      await clock.pass(hourMs)
      await changed
      // The next measurement is due once this one has ended.
      await setImmediate()
      return problems.list()
    }
    expect((await measured()).map(({ code, subject }) => `${code} ${subject}`)).toEqual([
      'dispersion_unknown gold',
      'dispersion_unknown silver',
    ])
    for (const policy of ['gold', 'silver']) await node.exec(`swift-dispersion-populate --policy-name ${policy}`)
    expect(await measured()).toEqual([])
    // d5 has objects of silver alone.
    await other.exec('rm -rf /srv/node/d5/objects-1')
    const [low, ...more] = await measured()
    expect([low?.code, low?.subject, more]).toEqual(['dispersion_low', 'silver', []])
    expect(low?.message).toMatch(/\d+ of \d+ object copies of policy silver are where the ring has them/)
  })
})
