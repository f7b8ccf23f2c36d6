import { expect } from 'vitest'

/** Prints a time between real processes beside what is promised. The test fails only above three times that: the machine of a test has other work. */
export function expectPromised(what: string, ms: number, promisedMs: number): void {
  console.info(`${what}: ${Math.round(ms)} ms (promised ${promisedMs} ms)`)
  expect(ms, `${what}, in ms; ${promisedMs} are promised`).toBeLessThan(3 * promisedMs)
}
