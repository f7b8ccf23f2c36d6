import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Reporter, TestModule, Vitest } from 'vitest/node'

/** The list that `.ci/run` installs. */
const packagesFile = join(import.meta.dirname, '../.ci/packages')

/** Names the tests that this machine did not run, with what would let it. */
export class SkippedReporter implements Reporter {
  #isFiltered = false

  /** Who asks for some tests by name (`-t`) knows that the others do not run. */
  onInit(vitest: Vitest): void {
    this.#isFiltered = vitest.config.testNamePattern !== undefined
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    const skipped = modules.flatMap((module) =>
      [...module.children.allTests('skipped')].map((test) => `${module.relativeModuleId} > ${test.fullName}`),
    )
    if (skipped.length === 0 || this.#isFiltered) return
    console.log(`\nNot run on this machine (${skipped.length}):`)
    for (const name of skipped) console.log(`  ${name}`)
    const packages = readFileSync(packagesFile, 'utf8').trim().split('\n').join(' ')
    console.log(
      `What touches the system runs as root with ROOST_TEST_SYSTEM=1, and uses the Debian packages\n${packages}.\nLong variants run with ROOST_TEST_LONG=1.\n`,
    )
  }
}
