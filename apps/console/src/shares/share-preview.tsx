import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query'
import { rpc } from '../api/client.js'
import { errorText } from '../api/error-text.js'
import type { NodeRecord } from '../api/queries/nodes.js'
import { useMayChange } from '../api/session-context.js'
import { PlanNode } from '../deployments/plan-node.js'
import { useSettled } from '../form/use-settled.js'
import { Card } from '../ui/card.js'
import { Skeleton } from '../ui/empty.js'
import { t } from '../words/text.js'
import { changeOf, checkChange, checkNew, inputOf } from './share-values.js'
import type { ShareValues } from './share-values.js'

interface SharePreviewProps {
  readonly values: ShareValues
  readonly gateways: readonly NodeRecord[]
  /** The share that is changed; undefined for a new one. */
  readonly stored?: { readonly id: number; readonly present: ShareValues }
}

type Stored = SharePreviewProps['stored']

/** A plan takes its gateway longer than a letter takes to type. */
const settledMs = 700

const preview = (values: ShareValues, stored: Stored) =>
  queryOptions({
    queryKey: ['sharePreview', stored?.id, values],
    queryFn: ({ signal }) =>
      stored === undefined
        ? rpc.gatewayShares.preview.mutate({ share: inputOf(values) }, { signal })
        : rpc.gatewayShares.previewChange.mutate(
            { id: stored.id, change: changeOf(values, stored.present) },
            { signal },
          ),
    placeholderData: keepPreviousData,
    refetchOnWindowFocus: false,
    retry: false,
  })

/** What the gateway would have with the share as the form has it now. A password is not part of any file. */
export function SharePreview({ values, gateways, stored }: SharePreviewProps) {
  const mayChange = useMayChange()
  const settled = useSettled(values, settledMs)
  const gateway = gateways.find(({ id }) => String(id) === settled.node)
  const asked = { ...settled, password: '' }
  const isSame = stored !== undefined && Object.keys(changeOf(asked, stored.present)).length === 0
  if (!mayChange || gateway === undefined || isSame) return null
  return (
    <Card title={t('shares.preview', { node: gateway.hostname })}>
      {gateway.state === 'online' ? (
        <Complete values={asked} stored={stored} name={gateway.hostname} />
      ) : (
        <p className="muted">{t('shares.preview.offline')}</p>
      )}
    </Card>
  )
}

/** Asks for nothing that the rules of the form refuse. */
function Complete(props: PlanProps) {
  const faults = props.stored === undefined ? checkNew(props.values) : checkChange(props.values)
  if (Object.keys(faults).length > 0) return <p className="muted">{t('shares.preview.incomplete')}</p>
  return <Plan {...props} />
}

interface PlanProps {
  readonly values: ShareValues
  readonly stored: Stored
  readonly name: string
}

function Plan({ values, stored, name }: PlanProps) {
  const { data, error, isPlaceholderData } = useQuery(preview(values, stored))
  if (error !== null) return <p className="muted">{errorText(error)}</p>
  if (data === undefined) return <Skeleton lines={4} />
  return (
    <div aria-busy={isPlaceholderData}>
      {!values.enabled && <p className="muted">{t('shares.preview.disabled')}</p>}
      <PlanNode plan={{ ...data, error: null }} name={name} />
    </div>
  )
}
