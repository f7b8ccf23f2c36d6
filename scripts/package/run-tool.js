import { spawnSync } from 'node:child_process'

/** Runs a program of Debian's packages, and says which package has it. */
export function runTool(file, args, packageName, options = {}) {
  const { status, stderr, error } = spawnSync(file, args, { encoding: 'utf8', maxBuffer: 1 << 26, ...options })
  if (error?.code === 'ENOENT') throw new Error(`${file} is missing. Install Debian's package ${packageName}.`)
  if (status !== 0) throw new Error(`${file} failed: ${(error?.message ?? stderr).trim()}`)
}
