import type { DesiredShare } from '@roost/api-types/agent'
import { afterEach, beforeEach } from 'vitest'
import { type ScriptedGateway, scriptedGateway } from './scripted-servers.js'

const state = (...shares: readonly DesiredShare[]) => ({ kind: 'gateway' as const, storage: null, shares: [...shares] })

/**
 * A new gateway before each test of a file, handed to `use`. Answers what most tests do with it: `state` makes a desired state
 * of shares, `apply` deploys it, and `count` tells how many commands began so.
 */
export function useScriptedGateway(use: (gateway: ScriptedGateway) => void) {
  let gateway: ScriptedGateway
  beforeEach(() => use((gateway = scriptedGateway())))
  afterEach(() => gateway.remove())
  return {
    state,
    apply: (generation: number, ...shares: readonly DesiredShare[]) =>
      gateway.applier.apply(state(...shares), generation, () => {}),
    count: (command: string) => gateway.commands.filter((line) => line.startsWith(command)).length,
  }
}
