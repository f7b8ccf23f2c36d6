import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { rpc } from '../api/client.js'
import type { inferOutput } from '../api/queries/output.js'
import { user as userQuery } from '../api/queries/users.js'
import { idIn } from '../api/uri.js'
import { FlagField, TextField } from '../form/fields.js'
import { Action, FormBody } from '../form/form.js'
import { newPassword, SecretDialog } from '../form/secret.js'
import { useForm } from '../form/use-form.js'
import { NewRecord } from '../shell/new-record.js'
import { Loaded } from '../state/loaded.js'
import { Card } from '../ui/card.js'
import { t } from '../words/text.js'
import { checkUser } from './user-rules.js'
import type { UserValues } from './user-rules.js'
import { loginOf } from './users.js'

type WrittenUser = inferOutput<typeof rpc.users.create.mutate>

/** The form of a new user, with the rights of the one that the address names. */
export function NewUser() {
  const { copy } = useSearch({ from: '/users/new' })
  return (
    <NewRecord
      title={t('users.new')}
      crumbs={<Link to="/users">{t('nav.users')}</Link>}
      copy={copy === undefined ? undefined : <CopyOf id={Number(copy)} />}
    >
      {({ id, name }) => <NewUserCard cluster={id} title={t('users.newIn', { cluster: name })} initial={{}} />}
    </NewRecord>
  )
}

/** A copy is in the cluster of the user, which is not the chosen one where somebody follows a link. */
function CopyOf({ id }: { readonly id: number }) {
  const found = useQuery(userQuery(id))
  return (
    <Loaded query={found}>
      {({ record: { user, cluster, is_superuser, enabled } }) => (
        <NewUserCard
          key={id}
          cluster={idIn(cluster)}
          title={t('users.copyOf', { name: user })}
          initial={{ is_superuser, enabled }}
        />
      )}
    </Loaded>
  )
}

interface NewUserProps {
  readonly cluster: number
  /** What differs from a user who can log in and has its own account. */
  readonly initial: Partial<Pick<UserValues, 'is_superuser' | 'enabled'>>
}

function NewUserCard({ title, ...props }: NewUserProps & { readonly title: string }) {
  return (
    <div className="form-columns">
      <Card title={title}>
        <NewUserForm {...props} />
      </Card>
    </div>
  )
}

function NewUserForm({ cluster, initial }: NewUserProps) {
  const navigate = useNavigate()
  const queries = useQueryClient()
  const [written, setWritten] = useState<WrittenUser | null>(null)
  const form = useForm<UserValues, WrittenUser>({
    initial: { user: '', password: newPassword(), is_superuser: false, enabled: true, ...initial },
    check: (values) => checkUser(cluster, values),
    save: (values) => rpc.users.create.mutate({ cluster, ...values, user: values.user.trim() }),
    onSaved: (saved) => {
      void queries.invalidateQueries({ queryKey: ['users'] })
      setWritten(saved)
    },
  })
  const actions = (
    <Action kind="primary" isSubmit isBusy={form.isBusy}>
      {t('users.create')}
    </Action>
  )
  return (
    <>
      <FormBody form={form} label={t('users.new')} actions={actions}>
        <TextField form={form} name="user" label={t('users.name')} help={t('users.name.help')} />
        <TextField form={form} name="password" label={t('users.password')} help={t('users.password.help')} isCode />
        <FlagField form={form} name="is_superuser" label={t('users.superuser')} help={t('users.superuser.help')} />
        <FlagField form={form} name="enabled" label={t('ui.enabled')} help={t('users.enabled.help')} />
      </FormBody>
      {written !== null && (
        <SecretDialog
          title={t('users.created', { name: written.user })}
          secrets={secretsOf(written)}
          onDone={() => void navigate({ to: '/users/$id', params: { id: written.id } })}
        />
      )}
    </>
  )
}

/** Returns what a user needs to log in. */
export function secretsOf(user: WrittenUser): readonly (readonly [string, string])[] {
  return [
    [t('users.login'), loginOf(user)],
    ...(user.password === undefined ? [] : [[t('users.password'), user.password] as const]),
    ...(user.s3_access_key === undefined ? [] : [[t('users.s3Key'), user.s3_access_key] as const]),
  ]
}
