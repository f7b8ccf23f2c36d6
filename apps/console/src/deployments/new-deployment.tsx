import './deployments.css'
import { useQuery } from '@tanstack/react-query'
import { Link, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { gateways, proxies } from '../api/queries/gateways.js'
import { clusterOf, isUnfinished, job, kindIn } from '../api/queries/deployments.js'
import type { DeploymentKind, JobRecord } from '../api/queries/deployments.js'
import { Action } from '../form/form.js'
import { ForCluster } from '../shell/for-cluster.js'
import type { ClusterRecord } from '../shell/use-cluster.js'
import { Loaded } from '../state/loaded.js'
import { Age } from '../ui/age.js'
import { Card } from '../ui/card.js'
import { Empty } from '../ui/empty.js'
import { Field } from '../ui/field.js'
import { Page } from '../ui/page.js'
import { Problem } from '../ui/problem.js'
import { t } from '../words/text.js'
import { Apply } from './apply.js'
import { costOf } from './cost.js'
import { LeftOut } from './left-out.js'
import { PlanIdentity, PlanNode } from './plan-node.js'
import { Steps } from './steps.js'
import { useNames } from './use-names.js'
import { usePlan } from './use-plan.js'
import type { PlanRequest } from './use-plan.js'

/** From changes to a plan, and from the plan to a deployment. The plan is in the address. */
export function NewDeployment() {
  const { kind, plan } = useSearch({ from: '/deployments/new' })
  if (plan !== undefined) return <Plan kind={kindIn(kind)} id={Number(plan)} />
  return (
    <ForCluster title={t('deploy.new')} crumbs={toDeployments()}>
      {(cluster) => <Changes kind={kindIn(kind)} cluster={cluster} />}
    </ForCluster>
  )
}

function toDeployments() {
  return <Link to="/deployments">{t('nav.deployments')}</Link>
}

interface ChangesProps {
  readonly kind: DeploymentKind
  readonly cluster: ClusterRecord
}

/** Chooses what is deployed, and to which nodes. */
function Changes({ kind: initial, cluster }: ChangesProps) {
  const [kind, setKind] = useState(initial)
  const [node, setNode] = useState('')
  const planning = usePlan()
  const { data: nodes = [] } = useQuery(kind === 'shares' ? gateways(cluster.id) : proxies(cluster.id))
  const target = node === '' ? { cluster: cluster.resource_uri } : { node }
  return (
    <Page title={t('deploy.new')} crumbs={toDeployments()}>
      <Steps at="changes" />
      <div className="form-columns">
        <Card title={t('deploy.what')}>
          <div className="form">
            <fieldset className="choices">
              <legend>{t('deploy.kind')}</legend>
              {(['shares', 'users'] as const).map((each) => (
                <label key={each} className="choice">
                  <input
                    type="radio"
                    name="kind"
                    checked={kind === each}
                    onChange={() => {
                      setKind(each)
                      setNode('')
                    }}
                  />
                  {t(`deploy.kind.${each}`)}
                </label>
              ))}
            </fieldset>
            <Field label={t('deploy.target')}>
              <select className="input" value={node} onChange={({ target }) => setNode(target.value)}>
                <option value="">{t(`deploy.all.${kind}`, { cluster: cluster.name })}</option>
                {nodes.map(({ id, hostname, resource_uri: uri }) => (
                  <option key={id} value={uri}>
                    {hostname}
                  </option>
                ))}
              </select>
            </Field>
            <Problem text={planning.problem} />
            <div className="form-actions">
              <Action kind="primary" isBusy={planning.isBusy} onClick={() => planning.start({ kind, ...target })}>
                {t('deploy.plan')}
              </Action>
            </div>
            <p className="muted small">{t('deploy.plan.help')}</p>
          </div>
        </Card>
      </div>
    </Page>
  )
}

function Plan({ kind, id }: { readonly kind: DeploymentKind; readonly id: number }) {
  const found = useQuery(job(kind, id))
  const { generation } = useSearch({ from: '/deployments/new' })
  const names = useNames()
  const title = (record: JobRecord | undefined) => {
    if (record === undefined) return t('deploy.new')
    const name = record.node === null ? names.cluster(record.cluster ?? '') : names.node(record.node)
    return t(`deploy.title.${kind}`, { name })
  }
  return (
    <Page
      title={title(found.data)}
      crumbs={toDeployments()}
      state={found.data?.finished != null && <PlanAge at={found.data.finished} />}
    >
      <Steps at="plan" />
      <Loaded query={found}>
        {(record) => (
          <PlanBody
            record={record}
            request={{
              kind,
              node: record.node ?? undefined,
              cluster: record.cluster ?? undefined,
              generation: generation === undefined ? undefined : Number(generation),
            }}
          />
        )}
      </Loaded>
    </Page>
  )
}

function PlanAge({ at }: { readonly at: string }) {
  return (
    <span>
      {t('deploy.planned')} <Age at={at} />
    </span>
  )
}

function PlanBody({ record, request }: { readonly record: JobRecord; readonly request: PlanRequest }) {
  const names = useNames()
  const owner = useQuery(clusterOf(record))
  const planning = usePlan()
  if (isUnfinished(record)) return <Asking record={record} />
  const { plan } = record
  if (plan === null)
    return (
      <div className="card">
        <Empty title={t('deploy.noPlan')}>
          <p>{record.message}</p>
          <ul>
            {record.targets.map((target, i) => (
              // eslint-disable-next-line react/no-array-index-key -- targets stay in their order
              <li key={i}>{target.message}</li>
            ))}
          </ul>
          <Action isBusy={planning.isBusy} onClick={() => planning.start(request)}>
            {t('deploy.planAgain')}
          </Action>
        </Empty>
      </div>
    )
  return (
    <div className="plan-columns">
      <div className="card plan-nodes">
        {!costOf(plan).changes && <p className="banner plan-same">{t('deploy.nothing')}</p>}
        {plan.nodes.map((node) => (
          <PlanNode key={node.node} plan={node} name={names.node(node.node)} />
        ))}
        {plan.identity !== undefined && <PlanIdentity identity={plan.identity} />}
        <LeftOut job={record} />
      </div>
      <Loaded query={owner}>{({ name }) => <Apply plan={plan} request={request} clusterName={name} />}</Loaded>
    </div>
  )
}

function Asking({ record: { targets } }: { readonly record: JobRecord }) {
  const answered = targets.filter(({ state }) => state !== 'waiting').length
  return (
    <div className="card">
      <Empty title={t('deploy.asking')}>
        <p role="status">{t('deploy.answered', { part: answered, total: targets.length })}</p>
      </Empty>
    </div>
  )
}
