import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { useCallback, useMemo } from 'react'
import { userList } from '../api/queries/users.js'
import type { UserRecord } from '../api/queries/users.js'
import { useMayChange } from '../api/session-context.js'
import { usePages } from '../api/use-pages.js'
import { useSelection } from '../bulk/use-selection.js'
import { noValue } from '../format/numbers.js'
import { TextFilter } from '../list/filters.js'
import { ListPage } from '../list/list-page.js'
import { NoRows } from '../list/no-rows.js'
import { useSearchChange } from '../list/use-search-change.js'
import { ForCluster } from '../shell/for-cluster.js'
import type { ClusterRecord } from '../shell/use-cluster.js'
import type { Column } from '../ui/data-table.js'
import { Users as UsersIcon } from '../ui/icons.js'
import { StateMark, Tag } from '../ui/state-mark.js'
import { t } from '../words/text.js'
import { AdoptButton } from './adopt.js'
import { BulkActions } from './bulk-actions.js'

/** The list of users of a cluster. All that it shows is in its address. */
export function Users() {
  return <ForCluster title={t('nav.users')}>{(cluster) => <UsersOf cluster={cluster} />}</ForCluster>
}

const nameOf = ({ user }: UserRecord) => user

function UsersOf({ cluster }: { readonly cluster: ClusterRecord }) {
  const { q, order = 'user' } = useSearch({ from: '/users' })
  const navigate = useNavigate({ from: '/users' })
  const change = useSearchChange()
  const { id } = cluster
  const filters = useMemo(() => ({ cluster: id, ...(q === undefined ? {} : { user: q }) }), [id, q])
  const pages = usePages(useMemo(() => userList(filters, order), [filters, order]))
  const columns = useMemo(() => userColumns(), [])
  const selection = useSelection(filters, pages.source.read)
  const mayChange = useMayChange()
  const onOpen = useCallback(({ id }: UserRecord) => void navigate({ to: '/users/$id', params: { id } }), [navigate])
  const filter = (value: string) => change({ q: value })
  return (
    <ListPage
      title={t('nav.users')}
      countOf={(count) => t('users.count', { count })}
      actions={<UserActions cluster={cluster} />}
      columns={columns}
      pages={pages}
      order={order}
      onOpen={onOpen}
      selection={mayChange ? { ...selection, nameOf } : undefined}
      empty={
        <NoRows
          icon={UsersIcon}
          isFiltered={q !== undefined}
          onClear={() => filter('')}
          title={t('users.none')}
          next={t('users.none.next')}
        >
          <NewUser />
        </NoRows>
      }
    >
      <div className="filters">
        <TextFilter label={t('users.filter')} value={q} onFilter={filter} />
      </div>
      <BulkActions cluster={cluster.resource_uri} selection={selection} total={pages.total} />
    </ListPage>
  )
}

function UserActions({ cluster }: { readonly cluster: ClusterRecord }) {
  return (
    <>
      <AdoptButton cluster={cluster} />
      <NewUser />
    </>
  )
}

function NewUser() {
  return (
    <Link to="/users/new" className="btn primary">
      {t('users.new')}
    </Link>
  )
}

function userColumns(): readonly Column<UserRecord>[] {
  return [
    {
      key: 'user',
      heading: t('users.name'),
      sort: 'user',
      width: 240,
      cell: ({ id, user }) => (
        <Link to="/users/$id" params={{ id }}>
          {user}
        </Link>
      ),
    },
    {
      key: 'enabled',
      heading: t('shares.state'),
      sort: 'enabled',
      width: 140,
      cell: ({ enabled }) => (
        <StateMark tone={enabled ? 'ok' : 'mute'} label={t(enabled ? 'ui.enabled' : 'ui.disabled')} />
      ),
    },
    {
      key: 'superuser',
      heading: t('users.rights'),
      sort: 'is_superuser',
      width: 190,
      cell: ({ is_superuser: isSuper }) => (isSuper ? <Tag tone="warn">{t('users.superuser')}</Tag> : t('users.own')),
    },
    { key: 'login', heading: t('users.login'), cell: (user) => <span className="mono">{loginOf(user)}</span> },
    { key: 'account', heading: t('users.account'), cell: (user) => <span className="mono">{accountOf(user)}</span> },
    { key: 'set', heading: t('shares.set'), width: 150, cell: ({ set }) => set ?? noValue },
  ]
}

/** Returns the name to log in with; the identity service gives one from the first deployment on. */
export function loginOf({ user, login }: UserRecord): string {
  return login ?? `${user}:${user}`
}

export function accountOf({ user, account }: UserRecord): string {
  return account ?? `AUTH_${user}`
}
