import { onTestFinished } from 'vitest'
import type { Swift } from './cluster.js'

/** Stops the proxy of the first node. Returns what starts it again, which the end of the test does in any case. */
export async function stopProxy({ nodes: [node] }: Swift): Promise<() => Promise<void>> {
  let isAway = true
  const startAgain = async () => {
    if (isAway) await node.start('proxy-server')
    isAway = false
  }
  onTestFinished(startAgain)
  await node.stop('proxy-server')
  return startAgain
}
