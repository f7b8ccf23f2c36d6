import './shares.css'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { useRef } from 'react'
import { rpc } from '../api/client.js'
import { gateways, gatewaysBeside } from '../api/queries/gateways.js'
import type { NodeRecord } from '../api/queries/nodes.js'
import { share as shareQuery } from '../api/queries/shares.js'
import type { ShareRecord } from '../api/queries/shares.js'
import { idIn } from '../api/uri.js'
import { usePlan } from '../deployments/use-plan.js'
import { Action } from '../form/form.js'
import { useForm } from '../form/use-form.js'
import { NewRecord } from '../shell/new-record.js'
import { Loaded } from '../state/loaded.js'
import { Card } from '../ui/card.js'
import { toast } from '../ui/toast.js'
import { Problem } from '../ui/problem.js'
import { t } from '../words/text.js'
import { MountLines } from './mount-lines.js'
import { ShareForm } from './share-form.js'
import { SharePreview } from './share-preview.js'
import { checkNew, copyOf, inputOf, newShareValues } from './share-values.js'
import type { ShareValues } from './share-values.js'

/** The form of a new share, with the settings of the one that the address names. */
export function NewShare() {
  const { copy } = useSearch({ from: '/shares/new' })
  return (
    <NewRecord
      title={t('shares.new')}
      crumbs={<Link to="/shares">{t('nav.shares')}</Link>}
      copy={copy === undefined ? undefined : <CopyOf id={Number(copy)} />}
    >
      {({ id }) => <NewShareOf cluster={id} />}
    </NewRecord>
  )
}

function NewShareOf({ cluster }: { readonly cluster: number }) {
  const nodes = useQuery(gateways(cluster))
  return (
    <Loaded query={nodes}>
      {(found) => (
        <NewShareForm gateways={found} initial={newShareValues(found.length === 1 ? String(found[0]?.id) : '')} />
      )}
    </Loaded>
  )
}

function CopyOf({ id }: { readonly id: number }) {
  const share = useQuery(shareQuery(id))
  return <Loaded query={share}>{({ record }) => <CopyOnGateway key={id} share={record} />}</Loaded>
}

/** A copy begins on the same gateway, whose cluster is not the chosen one where somebody follows a link. */
function CopyOnGateway({ share }: { readonly share: ShareRecord }) {
  const nodes = useQuery(gatewaysBeside(idIn(share.node)))
  return (
    <>
      <p>{t('shares.copyOf', { name: share.name })}</p>
      <Loaded query={nodes}>{(found) => <NewShareForm gateways={found} initial={copyOf(share)} />}</Loaded>
    </>
  )
}

interface NewShareFormProps {
  readonly gateways: readonly NodeRecord[]
  readonly initial: ShareValues
}

function NewShareForm({ gateways, initial }: NewShareFormProps) {
  const navigate = useNavigate()
  const queries = useQueryClient()
  const plan = usePlan()
  const reviews = useRef(false)
  const form = useForm({
    initial,
    check: checkNew,
    save: (values) => rpc.gatewayShares.create.mutate(inputOf(values)),
    onSaved: ({ id, name, node }) => {
      void queries.invalidateQueries({ queryKey: ['shares'] })
      toast(t('shares.saved', { name }))
      if (reviews.current) plan.start({ kind: 'shares', node })
      else void navigate({ to: '/shares/$id', params: { id: String(id) } })
    },
  })
  const { protocol, name, node, cifs_guest_ok: guests } = form.values
  const host = gateways.find(({ id }) => String(id) === node)?.hostname
  const isBusy = form.isBusy || plan.isBusy
  const save = (review: boolean) => {
    reviews.current = review
    form.submit()
  }
  const actions = (
    <>
      <Action kind="primary" isSubmit isBusy={isBusy} onClick={() => (reviews.current = true)}>
        {t('shares.saveAndReview')}
      </Action>
      <Action isBusy={isBusy} onClick={() => save(false)}>
        {t('ui.save')}
      </Action>
    </>
  )
  return (
    <div className="form-columns">
      <Card title={t('shares.settings')}>
        <ShareForm form={form} label={t('shares.new')} gateways={gateways} isNew actions={actions} />
        <Problem text={plan.problem} />
      </Card>
      <div className="card-column">
        <SharePreview values={form.values} gateways={gateways} />
        <Card title={t('shares.mount')}>
          <MountLines
            share={{ protocol, name: name.trim() || 'NAME' }}
            host={host ?? 'GATEWAY'}
            needsLogin={protocol === 'cifs' && !guests}
          />
          <p className="muted small card-hint">{t('shares.mount.afterDeploy')}</p>
        </Card>
      </div>
    </div>
  )
}
