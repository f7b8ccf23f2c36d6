/** Every failpoint there is, in the order in which a deployment passes them. */
export const failpointNames = [
  'cp.audit.beforeCommit',
  'cp.write.afterCommitBeforeReply',
  'cp.deploy.afterDispatch',
  'agent.hello.beforeSend',
  'agent.store.afterTmpBeforeRename',
  'agent.apply.afterStage',
  'agent.apply.afterValidate',
  'agent.apply.afterRename',
  'agent.apply.afterReload',
  'agent.apply.beforeAck',
] as const

export type FailpointName = (typeof failpointNames)[number]
