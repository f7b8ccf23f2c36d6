import { setFlagsFromString } from 'node:v8'

// The agent works for some milliseconds every ten seconds. To optimise what it does then costs a quarter of its CPU: with twenty
// times V8's patience only what is always busy is optimised, such as StatsD on a proxy. And V8 takes functions that rest
// so long for forgotten, and would compile them again. To be set before all else.
setFlagsFromString('--interrupt-budget=3000000')
setFlagsFromString('--no-flush-bytecode')
