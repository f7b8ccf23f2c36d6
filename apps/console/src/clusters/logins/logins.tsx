import type { ClusterIdentity, ClusterStorage } from '@roost/api-types/rest'
import { useQuery } from '@tanstack/react-query'
import type { UseQueryResult } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import type { ComponentType, ReactNode } from 'react'
import { rpc } from '../../api/client.js'
import { cluster as clusterQuery, identity, storage } from '../../api/queries/clusters.js'
import { Action } from '../../form/form.js'
import { lazyForm } from '../../form/lazy-form.js'
import { RemoveAction } from '../../form/remove-action.js'
import { noValue } from '../../format/numbers.js'
import type { ClusterRecord } from '../../shell/use-cluster.js'
import { Loaded } from '../../state/loaded.js'
import { Card, Facts } from '../../ui/card.js'
import { Empty } from '../../ui/empty.js'
import { KeyRound } from '../../ui/icons.js'
import { Page } from '../../ui/page.js'
import { t } from '../../words/text.js'

const StorageForm = lazyForm(() => import('./storage-form.js').then(({ StorageForm }) => StorageForm))
const IdentityForm = lazyForm(() => import('./identity-form.js').then(({ IdentityForm }) => IdentityForm))

/** Shows the login with which the gateways of a cluster reach its Swift, and the identity service that has its users. */
export function ClusterLogins() {
  const { id } = useParams({ from: '/system/clusters/$id' })
  const found = useQuery(clusterQuery(Number(id)))
  return (
    <Loaded query={found}>
      {(cluster) => (
        <Page
          title={t('logins.of', { name: cluster.name })}
          crumbs={<Link to="/system/clusters">{t('clusters.title')}</Link>}
        >
          <div className="form-columns">
            <StorageCard cluster={cluster} />
            <IdentityCard cluster={cluster} />
          </div>
        </Page>
      )}
    </Loaded>
  )
}

interface OfCluster {
  readonly cluster: ClusterRecord
}

function StorageCard({ cluster }: OfCluster) {
  const found = useQuery(storage(cluster.id))
  return (
    <LoginCard<ClusterStorage>
      title={t('storage.title')}
      query={found}
      none={[t('storage.none'), t('storage.none.next')]}
      facts={storageFacts}
      cluster={cluster}
      Form={StorageForm}
      remove={
        <RemoveAction
          topic="clusters"
          remove={() => rpc.clusters.unsetStorage.mutate({ id: cluster.id })}
          title={t('storage.remove.title', { name: cluster.name })}
          action={t('storage.remove.action')}
          effect={t('storage.remove.effect')}
          done={t('storage.removed')}
        />
      }
    />
  )
}

function IdentityCard({ cluster }: OfCluster) {
  const found = useQuery(identity(cluster.id))
  return (
    <LoginCard<ClusterIdentity>
      title={t('identity.title')}
      query={found}
      none={[t('identity.none'), t('identity.none.next')]}
      facts={identityFacts}
      cluster={cluster}
      Form={IdentityForm}
      remove={
        <RemoveAction
          topic="clusters"
          remove={() => rpc.clusters.unsetIdentity.mutate({ id: cluster.id })}
          title={t('identity.remove.title', { name: cluster.name })}
          action={t('identity.remove.action')}
          effect={t('identity.remove.effect')}
          done={t('identity.removed')}
        />
      }
    />
  )
}

interface LoginCardProps<L> extends OfCluster {
  readonly title: string
  readonly query: UseQueryResult<L | null>
  /** What is said where there is none, and why one needs it. */
  readonly none: readonly [title: string, next: string]
  readonly facts: (login: L) => readonly (readonly [name: string, value: ReactNode])[]
  /** Sets or replaces it. */
  readonly Form: ComponentType<OfCluster & { readonly login: L | null; readonly onClose: () => void }>
  readonly remove: ReactNode
}

/** A login without its key, with what sets, replaces and removes it. */
function LoginCard<L>({ title, cluster, query, none: [none, next], facts, Form, remove }: LoginCardProps<L>) {
  const [isSetting, setSetting] = useState(false)
  return (
    <Card title={title}>
      <Loaded query={query}>
        {(login) => (
          <>
            {login === null ? (
              <Empty icon={KeyRound} title={none} next={next} />
            ) : (
              <Facts facts={[...facts(login), [t('logins.key'), t('logins.key.hidden')]]} />
            )}
            <div className="form-actions">
              <Action onClick={() => setSetting(true)}>{t(login === null ? 'logins.set' : 'logins.replace')}</Action>
              {login !== null && remove}
            </div>
            {isSetting && <Form cluster={cluster} login={login} onClose={() => setSetting(false)} />}
          </>
        )}
      </Loaded>
    </Card>
  )
}

type Login = Pick<ClusterStorage, 'auth_url' | 'user' | 'user_domain' | 'project' | 'project_domain' | 'ca'> &
  Pick<ClusterStorage, 'application_credential_id'>

function loginFacts(login: Login) {
  const names = ['application_credential_id', 'user', 'user_domain', 'project', 'project_domain'] as const
  return [
    [t('logins.url'), <code key="u">{login.auth_url}</code>] as const,
    ...names.flatMap((name) => (login[name] === null ? [] : [[t(`logins.${name}`), login[name]] as const])),
  ]
}

function storageFacts(login: ClusterStorage) {
  const { application_credential_name: credential, region, interface: endpoint, ca } = login
  return [
    ...loginFacts(login),
    ...(credential === null ? [] : [[t('logins.application_credential_name'), credential] as const]),
    ...(region === null ? [] : [[t('storage.region'), region] as const]),
    ...(endpoint === null ? [] : [[t('storage.interface'), endpoint] as const]),
    [t('receivers.ca'), ca === null ? noValue : t('logins.ca.own')] as const,
  ]
}

function identityFacts(login: ClusterIdentity) {
  return [
    ...loginFacts(login),
    [t('identity.domain'), login.domain] as const,
    [t('identity.role'), login.role] as const,
    [t('identity.resellerRole'), login.reseller_role] as const,
    [t('receivers.ca'), login.ca === null ? noValue : t('logins.ca.own')] as const,
  ]
}
