import './shares.css'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate, useParams } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { rpc } from '../api/client.js'
import { errorText } from '../api/error-text.js'
import { gatewaysBeside } from '../api/queries/gateways.js'
import type { NodeRecord } from '../api/queries/nodes.js'
import { share as shareQuery } from '../api/queries/shares.js'
import type { ShareRecord } from '../api/queries/shares.js'
import { idIn } from '../api/uri.js'
import { RecordChanges } from '../audit/record-changes.js'
import { ReviewButton } from '../deployments/review-button.js'
import { Action } from '../form/form.js'
import { useForm } from '../form/use-form.js'
import { Loaded } from '../state/loaded.js'
import { State } from '../state/state.js'
import { Card, Facts } from '../ui/card.js'
import { Confirm } from '../ui/dialog.js'
import { Page } from '../ui/page.js'
import { Tag } from '../ui/state-mark.js'
import { toast } from '../ui/toast.js'
import { t } from '../words/text.js'
import { Enabled, protocolName } from './columns.js'
import { MountLines } from './mount-lines.js'
import { Sessions } from './sessions.js'
import { ShareForm } from './share-form.js'
import { SharePreview } from './share-preview.js'
import { changeOf, checkChange, valuesOf } from './share-values.js'
import type { ShareValues } from './share-values.js'
import { Uploads } from './uploads.js'

interface ShareProps {
  readonly share: ShareRecord
  readonly etag: string
  readonly nodes: readonly NodeRecord[]
}

export function Share() {
  const { id } = useParams({ from: '/shares/$id' })
  const found = useQuery(shareQuery(Number(id)))
  return <Loaded query={found}>{({ record, etag }) => <OnGateway share={record} etag={etag} />}</Loaded>
}

/** The share with the gateways of its cluster, which is not the chosen one where somebody follows a link. */
function OnGateway({ share, etag }: Omit<ShareProps, 'nodes'>) {
  const nodes = useQuery(gatewaysBeside(idIn(share.node)))
  return <Loaded query={nodes}>{(found) => <SharePage share={share} etag={etag} nodes={found} />}</Loaded>
}

function SharePage({ share, etag, nodes }: ShareProps) {
  const node = nodes.find(({ id }) => id === idIn(share.node))
  const [values, setValues] = useState(() => valuesOf(share))
  const state = (
    <>
      <Tag>{protocolName(share.protocol)}</Tag>
      <Enabled enabled={share.enabled} />
    </>
  )
  return (
    <Page
      title={share.name}
      crumbs={<Link to="/shares">{t('nav.shares')}</Link>}
      state={state}
      actions={<Actions share={share} etag={etag} nodes={nodes} />}
    >
      <div className="form-columns">
        <Card title={t('shares.settings')}>
          <EditForm key={etag} share={share} etag={etag} nodes={nodes} onValues={setValues} />
        </Card>
        <div className="card-column">
          <SharePreview values={values} gateways={nodes} stored={{ id: share.id, present: valuesOf(share) }} />
          <Card title={t('shares.mount')}>
            <MountLines
              share={share}
              host={node?.hostname ?? 'GATEWAY'}
              needsLogin={share.protocol === 'cifs' && !share.cifs_guest_ok}
            />
          </Card>
          <Gateway share={share} node={node} />
          <Sessions id={share.id} isNfs={share.protocol === 'nfs'} />
          {share.enabled && <Uploads id={share.id} />}
          <RecordChanges resource="gateway_shares" id={share.id} />
        </div>
      </div>
    </Page>
  )
}

function Gateway({ share, node }: Pick<ShareProps, 'share'> & { readonly node: NodeRecord | undefined }) {
  return (
    <Card title={t('shares.gateway')} aside={<ReviewButton kind="shares" node={share.node} />}>
      <Facts
        facts={[
          [t('shares.gateway'), node?.hostname ?? share.node],
          [t('nodes.state'), <State key="state" state={node?.state ?? 'unknown'} />],
          [t('nodes.config'), <State key="config" state={node?.config_state ?? 'unknown'} />],
          ...(share.set === undefined ? [] : [[t('shares.set'), share.set] as const]),
        ]}
      />
    </Card>
  )
}

interface EditFormProps extends ShareProps {
  readonly onValues: (values: ShareValues) => void
}

function EditForm({ share, etag, nodes, onValues }: EditFormProps) {
  const queries = useQueryClient()
  const present = valuesOf(share)
  const form = useForm({
    initial: present,
    check: checkChange,
    save: (values) =>
      rpc.gatewayShares.change.mutate({ id: share.id, change: changeOf(values, present), if_match: etag }),
    onSaved: ({ name }) => {
      void queries.invalidateQueries({ queryKey: ['shares'] })
      toast(t('shares.saved', { name }))
    },
  })
  const { values } = form
  useEffect(() => onValues(values), [values, onValues])
  const isSame = Object.keys(changeOf(values, present)).length === 0
  const actions = (
    <Action kind="primary" isSubmit isBusy={form.isBusy} reason={isSame ? t('ui.nothingChanged') : undefined}>
      {t('ui.save')}
    </Action>
  )
  return <ShareForm form={form} label={t('shares.settings')} gateways={nodes} isNew={false} actions={actions} />
}

function Actions({ share: { id, name, enabled }, etag }: ShareProps) {
  const queries = useQueryClient()
  const navigate = useNavigate()
  const [isRemoving, setRemoving] = useState(false)
  const renew = () => queries.invalidateQueries({ queryKey: ['shares'] })
  const toggle = useMutation({
    mutationFn: () => rpc.gatewayShares.change.mutate({ id, change: { enabled: !enabled }, if_match: etag }),
    onSuccess: renew,
    onError: (error) => toast(errorText(error)),
  })
  const remove = useMutation({
    mutationFn: () => rpc.gatewayShares.remove.mutate({ id }),
    onSuccess: async () => {
      await navigate({ to: '/shares' })
      await renew()
      toast(t('shares.removed', { name }))
    },
  })
  return (
    <>
      <Action isBusy={toggle.isPending} onClick={() => toggle.mutate()}>
        {t(enabled ? 'ui.disable' : 'ui.enable')}
      </Action>
      <Action onClick={() => void navigate({ to: '/shares/new', search: { copy: String(id) } })}>
        {t('ui.copyRecord')}
      </Action>
      <Action onClick={() => setRemoving(true)}>{t('ui.remove')}</Action>
      <Confirm
        open={isRemoving}
        onClose={() => setRemoving(false)}
        onConfirm={() => remove.mutate()}
        title={t('shares.remove.title', { name })}
        action={t('shares.remove.action')}
        typed={name}
        isBusy={remove.isPending}
      >
        <p>{t('shares.remove.effect')}</p>
        {remove.error !== null && <p className="banner bad">{errorText(remove.error)}</p>}
      </Confirm>
    </>
  )
}
