/** Every failpoint there is: those of a program in the order in which it passes them. */
export const failpointNames = [
  'cp.audit.beforeCommit',
  'cp.write.afterCommitBeforeReply',
  'cp.deploy.afterDispatch',
  'cp.alerts.beforeSend',
  'cp.alerts.afterSend',
  'agent.hello.beforeSend',
  'agent.store.afterTmpBeforeRename',
  'agent.apply.afterStage',
  'agent.apply.afterValidate',
  'agent.apply.afterRename',
  'agent.apply.afterReload',
  'agent.apply.beforeAck',
] as const

export type FailpointName = (typeof failpointNames)[number]
