import type { FailpointName } from './names.js'

export type { FailpointName } from './names.js'

/**
 * A place at which a test may end this process, make it fail or stop it for a while: `fp('agent.apply.afterRename')` on
 * the line after what its name says. Here it does nothing; a program that Node runs with `--conditions=failpoints` gets
 * the other half (armed.ts), which does what the variable `FP` says. A new name goes to names.ts.
 *
 * An applier of the agent calls the four below; `agent.apply.beforeAck` and `agent.store.afterTmpBeforeRename` are
 * called for it, by the lane of its kind and by `writeManagedFile`.
 *   agent.apply.afterStage     the new files are whole beside the live ones, which are untouched
 *   agent.apply.afterValidate  they were checked; the live ones are untouched
 *   agent.apply.afterRename    each time one of the live files was replaced
 *   agent.apply.afterReload    the daemons were told; nothing is verified yet
 */
export function fp(_name: FailpointName): void {}
