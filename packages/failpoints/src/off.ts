import type { FailpointName } from './names.js'

export type { FailpointName } from './names.js'

/**
 * A location at which a test may end this process, make it fail or stop it for a while: `fp('agent.apply.afterRename')` on
 * the line after what its name says. Here it does nothing; a program that Node runs with `--conditions=failpoints` gets
 * the other half (armed.ts), which does what the variable `FP` says. A new name goes to names.ts.
 *
 * An applier of the agent calls the four below; `agent.apply.beforeAck` and `agent.store.afterTmpBeforeRename` are
 * called for it, by the queue of its kind and by `writeManagedFile`.
 *   agent.apply.afterStage     the new files are complete beside the live ones, which are untouched
 *   agent.apply.afterValidate  they were checked; the live ones are untouched
 *   agent.apply.afterRename    each time one of the live files was replaced
 *   agent.apply.afterReload    the daemons were reloaded; nothing is verified yet
 */
export function fp(_name: FailpointName): void {}
