import { setFlagsFromString } from 'node:v8'

const [major = 0] = process.versions.node.split('.').map(Number)

// The agent works for some milliseconds every ten seconds. V8 of Node 20 spends a quarter of its CPU on optimizing that code:
// with twenty times the budget it optimizes only what is always busy, such as StatsD on a proxy. It also discards functions
// that were not called for so long, and would compile them again. Node 22 and later have no such budget, and on 24 and 26
// neither the second flag nor the counts that replaced the budget change CPU (0.2 % of a core) or memory (31 MB of its own)
// measurably. The flags are set before other modules are loaded.
if (major < 22) {
  setFlagsFromString('--interrupt-budget=3000000')
  setFlagsFromString('--no-flush-bytecode')
}
