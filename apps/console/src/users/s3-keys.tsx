import { useQuery } from '@tanstack/react-query'
import { rpc } from '../api/client.js'
import { s3Keys } from '../api/queries/users.js'
import type { UserRecord } from '../api/queries/users.js'
import { useChange } from '../api/use-change.js'
import { Action } from '../form/form.js'
import { RemoveAction } from '../form/remove-action.js'
import { SecretDialog } from '../form/secret.js'
import { PlainTable } from '../list/plain-table.js'
import { Loaded } from '../state/loaded.js'
import { Card } from '../ui/card.js'
import { CopyLine } from '../ui/copy.js'
import { t } from '../words/text.js'

interface S3KeysProps {
  readonly user: UserRecord
}

/** With what a user reaches its account by S3: the login in tempauth, keys of their own in Keystone. */
export function S3Keys({ user }: S3KeysProps) {
  const found = useQuery(s3Keys(user))
  const aside = found.data?.isKeystone === true && <NewKey user={user} />
  return (
    <Card title={t('s3.title')} aside={aside}>
      <Loaded query={found}>
        {({ isKeystone, accessKeys }) =>
          isKeystone ? <KeystoneKeys user={user} accessKeys={accessKeys} /> : <LoginKeys accessKeys={accessKeys} />
        }
      </Loaded>
    </Card>
  )
}

/** Creates an access key, and shows its secret key once. */
function NewKey({ user: { id, user: name, account } }: S3KeysProps) {
  const create = useChange('s3Keys', () => rpc.users.createS3Credential.mutate({ id: Number(id) }))
  return (
    <>
      <Action
        small
        isBusy={create.isPending}
        // Keystone has the user, and its account, from the first deployment on.
        reason={account === undefined ? t('s3.notDeployed') : undefined}
        onClick={() => create.mutate(undefined)}
      >
        {t('s3.new')}
      </Action>
      {create.data !== undefined && (
        <SecretDialog
          title={t('s3.newOf', { name })}
          secrets={[
            [t('s3.accessKey'), create.data.access_key],
            [t('s3.secretKey'), create.data.secret_key],
          ]}
          onDone={() => create.reset()}
        />
      )}
    </>
  )
}

interface AccessKeysProps {
  readonly accessKeys: readonly string[]
}

function LoginKeys({ accessKeys }: AccessKeysProps) {
  return (
    <div className="secret">
      <p className="muted small">{t('s3.ofLogin')}</p>
      {accessKeys.map((key) => (
        <CopyLine key={key} text={key} label={t('ui.copy')} />
      ))}
    </div>
  )
}

function KeystoneKeys({ user: { id, account }, accessKeys }: S3KeysProps & AccessKeysProps) {
  if (accessKeys.length === 0) return <p className="muted">{t(account === undefined ? 's3.notDeployed' : 's3.none')}</p>
  return (
    <>
      <PlainTable
        isPart
        label={t('s3.title')}
        headings={[t('s3.accessKey'), { text: t('access.actions'), isHidden: true }]}
      >
        {accessKeys.map((key) => (
          <tr key={key}>
            <th scope="row" className="mono">
              {key}
            </th>
            <td>
              <RemoveAction
                topic="s3Keys"
                remove={() => rpc.users.removeS3Credential.mutate({ id: Number(id), access_key: key })}
                title={t('s3.remove.title', { key })}
                action={t('s3.remove.action')}
                effect={t('s3.remove.effect')}
                done={t('s3.removed')}
              />
            </td>
          </tr>
        ))}
      </PlainTable>
      <p className="muted small card-hint">{t('s3.atOnce')}</p>
    </>
  )
}
