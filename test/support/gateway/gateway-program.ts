import type { DesiredShare } from '@roost/api-types/agent'
import { cifsShare, nfsShare } from '@roost/testing/shares'
import { scriptedGateway } from '@roost/node-agent/dist/shares/testing/scripted-servers.js'

/** The shares of a generation: each file is another one in each. */
export function sharesOf(generation: number): readonly DesiredShare[] {
  return Array.from({ length: 20 }, (_, i) => {
    const settings = { name: `gen${generation}-${i}`, clients_allowed_list: `10.${generation % 200}.0.0/16` }
    return i % 2 === 0 ? nfsShare(i + 1, settings) : cifsShare(i + 1, settings)
  })
}

// Run by a test, which ends it somewhere on the way: applies one generation to the gateway in a folder.
const [, program = '', root, generation] = process.argv
if (program.endsWith('gateway-program.js') && root !== undefined) {
  const state = { kind: 'gateway' as const, storage: null, shares: [...sharesOf(Number(generation))] }
  const outcome = await scriptedGateway(root).applier.apply(state, Number(generation), () => {})
  process.stdout.write(JSON.stringify(outcome))
}
