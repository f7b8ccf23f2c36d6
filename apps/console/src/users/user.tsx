import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { rpc } from '../api/client.js'
import { errorText } from '../api/error-text.js'
import { user as userQuery } from '../api/queries/users.js'
import type { UserRecord } from '../api/queries/users.js'
import { RecordChanges } from '../audit/record-changes.js'
import { ReviewButton } from '../deployments/review-button.js'
import { TextField } from '../form/fields.js'
import { Action, FormBody } from '../form/form.js'
import { newPassword, SecretDialog } from '../form/secret.js'
import { useForm } from '../form/use-form.js'
import { Loaded } from '../state/loaded.js'
import { Card, Facts } from '../ui/card.js'
import { Confirm } from '../ui/dialog.js'
import { Page } from '../ui/page.js'
import { StateMark, Tag } from '../ui/state-mark.js'
import { toast } from '../ui/toast.js'
import { t } from '../words/text.js'
import { secretsOf } from './new-user.js'
import { S3Keys } from './s3-keys.js'
import { checkPassword } from './user-rules.js'
import { accountOf, loginOf } from './users.js'

interface UserProps {
  readonly user: UserRecord
  readonly etag: string
}

export function User() {
  const { id } = useParams({ from: '/users/$id' })
  const found = useQuery(userQuery(Number(id)))
  return <Loaded query={found}>{({ record, etag }) => <UserPage user={record} etag={etag} />}</Loaded>
}

function UserPage({ user, etag }: UserProps) {
  const { enabled, is_superuser: isSuper } = user
  const state = (
    <>
      <StateMark tone={enabled ? 'ok' : 'mute'} label={t(enabled ? 'ui.enabled' : 'ui.disabled')} />
      {isSuper && <Tag tone="warn">{t('users.superuser')}</Tag>}
    </>
  )
  return (
    <Page
      title={user.user}
      crumbs={<Link to="/users">{t('nav.users')}</Link>}
      state={state}
      actions={<Actions user={user} etag={etag} />}
    >
      <div className="form-columns">
        <Card title={t('users.about')} aside={<ReviewButton kind="users" cluster={user.cluster} />}>
          <Facts
            facts={[
              [t('users.login'), <code key="l">{loginOf(user)}</code>],
              [t('users.account'), <code key="a">{accountOf(user)}</code>],
              [t('users.rights'), isSuper ? t('users.superuser') : t('users.own')],
              ...(user.set === undefined ? [] : [[t('shares.set'), user.set] as const]),
            ]}
          />
          <p className="muted small card-hint">{t('users.afterDeploy')}</p>
        </Card>
        <Card title={t('users.changePassword')}>
          <PasswordForm key={etag} user={user} />
        </Card>
        <S3Keys user={user} />
        <RecordChanges resource="users" id={Number(user.id)} />
      </div>
    </Page>
  )
}

function PasswordForm({ user: { id, user } }: Pick<UserProps, 'user'>) {
  const queries = useQueryClient()
  const change = (values: { readonly password: string }) => rpc.users.change.mutate({ id: Number(id), change: values })
  const [written, setWritten] = useState<Awaited<ReturnType<typeof change>> | null>(null)
  const form = useForm({
    initial: { password: newPassword() },
    check: checkPassword,
    save: change,
    onSaved: setWritten,
  })
  const actions = (
    <Action isSubmit isBusy={form.isBusy}>
      {t('users.changePassword')}
    </Action>
  )
  return (
    <>
      <FormBody form={form} label={t('users.changePassword')} actions={actions}>
        <TextField form={form} name="password" label={t('users.newPassword')} help={t('users.password.help')} isCode />
      </FormBody>
      {written !== null && (
        <SecretDialog
          title={t('users.passwordChanged', { name: user })}
          secrets={secretsOf(written)}
          onDone={() => {
            setWritten(null)
            void queries.invalidateQueries({ queryKey: ['users'] })
          }}
        />
      )}
    </>
  )
}

function Actions({ user: { id, user, enabled, is_superuser: isSuper }, etag }: UserProps) {
  const queries = useQueryClient()
  const navigate = useNavigate()
  const [asks, setAsks] = useState<'remove' | 'superuser' | null>(null)
  const renew = () => queries.invalidateQueries({ queryKey: ['users'] })
  const change = useMutation({
    mutationFn: (change: { readonly enabled?: boolean; readonly is_superuser?: boolean }) =>
      rpc.users.change.mutate({ id: Number(id), change, if_match: etag }),
    onSuccess: async () => {
      setAsks(null)
      await renew()
    },
    onError: (error) => toast(errorText(error)),
  })
  const remove = useMutation({
    mutationFn: () => rpc.users.remove.mutate({ id: Number(id) }),
    onSuccess: async () => {
      await navigate({ to: '/users' })
      await renew()
      toast(t('users.removed', { name: user }))
    },
  })
  return (
    <>
      <Action isBusy={change.isPending} onClick={() => change.mutate({ enabled: !enabled })}>
        {t(enabled ? 'ui.disable' : 'ui.enable')}
      </Action>
      <Action
        isBusy={change.isPending}
        onClick={() => (isSuper ? change.mutate({ is_superuser: false }) : setAsks('superuser'))}
      >
        {t(isSuper ? 'users.noSuperuser' : 'users.makeSuperuser')}
      </Action>
      <Action onClick={() => void navigate({ to: '/users/new', search: { copy: id } })}>{t('ui.copyRecord')}</Action>
      <Action onClick={() => setAsks('remove')}>{t('ui.remove')}</Action>
      <Confirm
        open={asks === 'superuser'}
        onClose={() => setAsks(null)}
        onConfirm={() => change.mutate({ is_superuser: true })}
        title={t('users.superuser.title', { name: user })}
        action={t('users.makeSuperuser')}
        isBusy={change.isPending}
      >
        <p>{t('users.superuser.help')}</p>
      </Confirm>
      <Confirm
        open={asks === 'remove'}
        onClose={() => setAsks(null)}
        onConfirm={() => remove.mutate()}
        title={t('users.remove.title', { name: user })}
        action={t('users.remove.action')}
        typed={user}
        isBusy={remove.isPending}
      >
        <p>{t('users.remove.effect')}</p>
        {remove.error !== null && <p className="banner bad">{errorText(remove.error)}</p>}
      </Confirm>
    </>
  )
}
