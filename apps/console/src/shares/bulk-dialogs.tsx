import { rpc } from '../api/client.js'
import type { NodeRecord } from '../api/queries/nodes.js'
import type { ShareRecord } from '../api/queries/shares.js'
import { idIn } from '../api/uri.js'
import { BulkDialog, Names, unlessRemoved } from '../bulk/bulk-dialog.js'
import { ReviewButton } from '../deployments/review-button.js'
import { Confirm } from '../ui/dialog.js'
import { t } from '../words/text.js'
import { BulkSetting } from './bulk-setting.js'

export type ShareTask = 'enable' | 'disable' | 'change' | 'remove'

interface BulkSharesProps {
  readonly task: ShareTask
  readonly shares: readonly ShareRecord[]
  readonly cluster: string
  readonly gateways: readonly NodeRecord[]
  readonly onRest: (rest: readonly ShareRecord[]) => void
  readonly onClose: () => void
}

/** Returns what names shares as the command line does, such as `gw-1/docs`: a name belongs to one gateway. */
function namesOn(gateways: readonly NodeRecord[]): (share: ShareRecord) => string {
  const hostnames = new Map(gateways.map(({ resource_uri: uri, hostname }) => [uri, hostname]))
  return ({ name, node }) => `${hostnames.get(node) ?? t('shares.node', { id: String(idIn(node)) })}/${name}`
}

const writes = {
  enable: ({ id }: ShareRecord) => rpc.gatewayShares.change.mutate({ id, change: { enabled: true } }),
  disable: ({ id }: ShareRecord) => rpc.gatewayShares.change.mutate({ id, change: { enabled: false } }),
  remove: ({ id }: ShareRecord) => unlessRemoved(rpc.gatewayShares.remove.mutate({ id })),
} as const

/** Does one thing with several shares. Clients notice nothing before the next deployment. */
export function BulkShares({ task, shares, cluster, gateways, onRest, onClose }: BulkSharesProps) {
  const count = shares.length
  const title = t(`shares.bulk.${task}.title`, { count })
  const nameOf = namesOn(gateways)
  const names = <Names names={shares.map(nameOf)} />
  return (
    <BulkDialog
      records={shares}
      nameOf={nameOf}
      title={title}
      topic="shares"
      onRest={onRest}
      onClose={onClose}
      next={
        <>
          <p>{t('shares.bulk.next')}</p>
          <ReviewButton kind="shares" cluster={cluster} />
        </>
      }
    >
      {(start) =>
        task === 'change' ? (
          <BulkSetting
            shares={shares}
            names={names}
            gateways={gateways}
            title={title}
            onStart={(change) => start(({ id }) => rpc.gatewayShares.change.mutate({ id, change }))}
            onClose={onClose}
          />
        ) : (
          <Confirm
            open
            title={title}
            action={t(task === 'remove' ? 'shares.bulk.remove' : `ui.${task}`)}
            typed={task === 'remove' ? t('shares.count', { count }) : undefined}
            onConfirm={() => start(writes[task])}
            onClose={onClose}
          >
            {names}
            <p>{t(`shares.bulk.${task}.effect`)}</p>
          </Confirm>
        )
      }
    </BulkDialog>
  )
}
