import { describe, expect, it } from 'vitest'
import { createTokenLines } from './token-lines.js'

function linesOf(options: { readonly hasAgent?: boolean; readonly isLoopbackOnly?: boolean } = {}) {
  const { hasAgent = true, isLoopbackOnly = false } = options
  const lines = createTokenLines({
    publicUrl: () => 'https://roost.example:8443',
    caSha256: () => 'ab12',
    serverPin: () => 'cGlu',
    isLoopbackOnly: () => isLoopbackOnly,
    hasAgent: async () => hasAgent,
    missingPackages: 'Add one with: roost packages add FILE',
  })
  return lines('t0ken', ['gateway', 'storage'])
}

describe('the lines of a token', () => {
  it('install the agent where the control plane has a package of it, without a warning', async () => {
    const { install, lines, warning } = await linesOf()
    expect(install).toContain('https://roost.example:8443/install.sh')
    expect(install).toMatch(/ --prepare gateway,storage$/)
    expect(lines[0]).toBe('roost-agent enroll --server https://roost.example:8443 --token t0ken --ca-sha256 ab12')
    expect(warning).toBeNull()
  })

  it('are those of a machine that has the agent where there is no package, and say how to add one', async () => {
    const { install, lines, warning } = await linesOf({ hasAgent: false })
    const prepared = ['roost-agent gateway prepare --yes', 'roost-agent storage prepare --yes']
    expect([install, ...lines.slice(1)]).toEqual([null, ...prepared, 'roost-agent run'])
    expect(warning).toBe('These lines are for a machine that has the agent. Add one with: roost packages add FILE')
  })

  it('warn, too, where only this machine reaches the control plane', async () => {
    const { warning } = await linesOf({ hasAgent: false, isLoopbackOnly: true })
    expect(warning).toMatch(/^https:\S+ can be reached only from this machine\. .* roost packages add FILE$/)
  })
})
