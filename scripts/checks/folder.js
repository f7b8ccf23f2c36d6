// Checks one folder in seconds: `npm run check:folder -- FOLDER`. Compiles its package, lints it, checks its language, runs its tests.
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'

const [folder = ''] = process.argv.slice(2)
if (!existsSync(folder))
  throw new Error(`There is no folder '${folder}'. Usage: npm run check:folder -- apps/node-agent/src/collectors`)

/** Returns the folder of the package that a folder is in. */
function packageOf(path) {
  return existsSync(join(path, 'package.json')) ? path : packageOf(dirname(path))
}

const owner = packageOf(folder)
const hasTests = readdirSync(folder, { recursive: true }).some((name) => String(name).endsWith('.test.ts'))
const steps = [
  ...(existsSync(join(owner, 'tsconfig.json')) ? [['npx', 'tsc', '-p', owner]] : []),
  ['npx', 'oxlint', folder],
  ['npx', 'oxfmt', '--check', folder],
  [process.execPath, 'scripts/checks/language.js', folder],
  ...(hasTests ? [['npx', 'vitest', 'run', folder]] : []),
]
const failed = steps.find(([program, ...args]) => spawnSync(program, args, { stdio: 'inherit' }).status !== 0)
if (failed !== undefined) {
  process.stderr.write(`Failed: ${failed.slice(1).join(' ')}\n`)
  process.exitCode = 1
}
