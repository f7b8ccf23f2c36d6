import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { rpc } from '../api/client.js'
import { obstacles } from '../api/queries/clusters.js'
import { useChange } from '../api/use-change.js'
import type { ClusterRecord } from '../shell/use-cluster.js'
import { Loaded } from '../state/loaded.js'
import { Confirm, Dialog } from '../ui/dialog.js'
import { toast } from '../ui/toast.js'
import { t } from '../words/text.js'

interface RemoveClusterProps {
  readonly cluster: ClusterRecord
  readonly onClose: () => void
}

/** Removes a cluster after its name was typed, or names what has to be removed before. */
export function RemoveCluster({ cluster, onClose }: RemoveClusterProps) {
  const found = useQuery(obstacles(cluster.id))
  const title = t('clusters.remove.title', { name: cluster.name })
  const { data } = found
  if (data?.nodes === 0 && data.users === 0) return <Consent cluster={cluster} onClose={onClose} />
  const close = (
    <button type="button" className="btn" onClick={onClose}>
      {t('ui.close')}
    </button>
  )
  return (
    <Dialog open onClose={onClose} title={title} actions={close}>
      <Loaded query={found}>
        {({ nodes, users }) => (
          <>
            <p>{t('clusters.remove.obstacles')}</p>
            <ul>
              {nodes > 0 && (
                <Obstacle>
                  <Link to="/nodes" search={{ cluster: String(cluster.id) }}>
                    {t('system.nodes', { count: nodes })}
                  </Link>
                </Obstacle>
              )}
              {users > 0 && (
                <Obstacle>
                  <Link to="/users" search={{ cluster: String(cluster.id) }}>
                    {t('users.count', { count: users })}
                  </Link>
                </Obstacle>
              )}
            </ul>
          </>
        )}
      </Loaded>
    </Dialog>
  )
}

function Obstacle({ children }: { readonly children: ReactNode }) {
  return (
    <li>
      <span>{children}</span>
    </li>
  )
}

function Consent({ cluster: { id, name }, onClose }: RemoveClusterProps) {
  const remove = useChange(
    'clusters',
    () => rpc.clusters.remove.mutate({ id }),
    () => {
      toast(t('clusters.removed', { name }))
      onClose()
    },
  )
  return (
    <Confirm
      open
      onClose={onClose}
      onConfirm={() => remove.mutate(undefined)}
      title={t('clusters.remove.title', { name })}
      action={t('clusters.remove.action')}
      typed={name}
      isBusy={remove.isPending}
    >
      <p>{t('clusters.remove.effect')}</p>
    </Confirm>
  )
}
