import { rpc } from '../api/client.js'
import type { UserRecord } from '../api/queries/users.js'
import { BulkDialog, Names, unlessRemoved } from '../bulk/bulk-dialog.js'
import { ReviewButton } from '../deployments/review-button.js'
import { Confirm } from '../ui/dialog.js'
import { t } from '../words/text.js'
import type { PlainKey } from '../words/en.js'

export type UserTask = 'enable' | 'disable' | 'makeSuperuser' | 'noSuperuser' | 'remove'

interface BulkUsersProps {
  readonly task: UserTask
  readonly users: readonly UserRecord[]
  readonly cluster: string
  readonly onRest: (rest: readonly UserRecord[]) => void
  readonly onClose: () => void
}

interface Task {
  readonly action: PlainKey
  readonly write: (user: UserRecord) => Promise<unknown>
  /** The number has to be typed first. */
  readonly isTyped?: true
}

const nameOf = ({ user }: UserRecord) => user

const changing = (change: { readonly enabled?: boolean; readonly is_superuser?: boolean }) => (user: UserRecord) =>
  rpc.users.change.mutate({ id: Number(user.id), change })

const tasks: Readonly<Record<UserTask, Task>> = {
  enable: { action: 'ui.enable', write: changing({ enabled: true }) },
  disable: { action: 'ui.disable', write: changing({ enabled: false }) },
  makeSuperuser: { action: 'users.makeSuperuser', write: changing({ is_superuser: true }), isTyped: true },
  noSuperuser: { action: 'users.noSuperuser', write: changing({ is_superuser: false }) },
  remove: {
    action: 'users.bulk.remove',
    write: ({ id }) => unlessRemoved(rpc.users.remove.mutate({ id: Number(id) })),
    isTyped: true,
  },
}

/** Does one thing with several users. The cluster notices nothing before the next deployment. */
export function BulkUsers({ task, users, cluster, onRest, onClose }: BulkUsersProps) {
  const count = users.length
  const title = t(`users.bulk.${task}.title`, { count })
  const { action, write, isTyped = false } = tasks[task]
  return (
    <BulkDialog
      records={users}
      nameOf={nameOf}
      title={title}
      topic="users"
      onRest={onRest}
      onClose={onClose}
      next={
        <>
          <p>{t('users.afterDeploy')}</p>
          <ReviewButton kind="users" cluster={cluster} />
        </>
      }
    >
      {(start) => (
        <Confirm
          open
          title={title}
          action={t(action)}
          typed={isTyped ? t('users.count', { count }) : undefined}
          onConfirm={() => start(write)}
          onClose={onClose}
        >
          <Names names={users.map(nameOf)} />
          <p>{t(`users.bulk.${task}.effect`)}</p>
        </Confirm>
      )}
    </BulkDialog>
  )
}
