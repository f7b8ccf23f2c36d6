import { writeSync } from 'node:fs'
import { type FailpointName, failpointNames } from './names.js'

type Act = 'exit' | 'throw' | `sleep:${number}`

interface Armed {
  readonly act: Act
  /** The time at which it acts; at every one where it is null. */
  readonly at: number | null
}

const armed = parseFailpoints(process.env['FP'] ?? '')
const passed = new Map<FailpointName, number>()

/**
 * Does what `FP` says of the name: `FP='cp.audit.beforeCommit=throw;agent.apply.afterRename=exit@3'`. `exit` is the end
 * that `kill -9` makes, `throw` an error, `sleep:5000` a process in which nothing moves for 5 s. `@3`: the third time only.
 */
export function fp(name: FailpointName): void {
  const point = armed.get(name)
  if (point === undefined) return
  const times = (passed.get(name) ?? 0) + 1
  passed.set(name, times)
  if (point.at !== null && point.at !== times) return
  writeSync(2, `failpoint ${name}: ${point.act}\n`)
  if (point.act === 'throw') throw new Error(`failpoint ${name}`)
  if (point.act === 'exit') process.kill(process.pid, 'SIGKILL')
  stall(point.act === 'exit' ? Infinity : Number(point.act.slice('sleep:'.length)))
}

/** Throws for what is no failpoint or nothing that one can do: a test that arms nothing proves nothing. */
export function parseFailpoints(text: string): ReadonlyMap<FailpointName, Armed> {
  return new Map(text.split(';').filter(Boolean).map(parseOne))
}

function parseOne(text: string): readonly [FailpointName, Armed] {
  const [, name, act, at] = /^([^=]+)=(exit|throw|sleep:\d+)(?:@(\d+))?$/.exec(text.trim()) ?? []
  if (act === undefined || !failpointNames.includes(name as FailpointName))
    throw new Error(`FP has no failpoint: ${text}`)
  return [name as FailpointName, { act: act as Act, at: at === undefined ? null : Number(at) }]
}

function stall(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)
}
