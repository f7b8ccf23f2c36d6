import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'

const flags = import.meta.resolve('@roost/control-plane/dist/lifecycle/v8-flags.js')

/** Keeps 60 MB of small objects after a thread has started, and prints the KB that V8 gave the young generation. */
const program = (imported: string) => `
  ${imported}
  import { getHeapSpaceStatistics } from 'node:v8'
  import { Worker } from 'node:worker_threads'
  import { once } from 'node:events'
  const worker = new Worker('setInterval(() => {}, 1000)', { eval: true })
  await once(worker, 'online')
  await new Promise((resolve) => setTimeout(resolve, 50))
  const kept = Array.from({ length: 1e6 }, (_, i) => ({ i }))
  const { space_size: size } = getHeapSpaceStatistics().find((space) => space.space_name === 'new_space')
  console.log(kept.length > 0 ? size >> 10 : 0)
  process.exit()`

async function youngKb(imported: string): Promise<number> {
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program(imported)])
  return Number(stdout)
}

it('stays small after a thread was started, which sets the flags of V8 back', async () => {
  expect(await youngKb('')).toBeGreaterThan(12_000)
  expect(await youngKb(`import '${flags}'`)).toBeLessThan(8_000)
})
