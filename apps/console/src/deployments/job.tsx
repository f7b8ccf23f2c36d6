import './deployments.css'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { errorText } from '../api/error-text.js'
import { deploymentsOf, isUnfinished, job as jobQuery, kindIn } from '../api/queries/deployments.js'
import type { DeploymentKind, JobRecord } from '../api/queries/deployments.js'
import { Action } from '../form/form.js'
import { duration } from '../format/time.js'
import { Loaded } from '../state/loaded.js'
import { Age, Time } from '../ui/age.js'
import { Card, Facts } from '../ui/card.js'
import { Meter } from '../ui/meter.js'
import { Page } from '../ui/page.js'
import { toast } from '../ui/toast.js'
import { t } from '../words/text.js'
import { JobState, waitsForConfirmation } from './job-state.js'
import { LeftOut } from './left-out.js'
import { Steps } from './steps.js'
import { Targets } from './targets.js'
import { tookOf } from './took.js'
import { useNames } from './use-names.js'

interface JobProps {
  readonly kind: DeploymentKind
  readonly job: JobRecord
}

/** A deployment, live until it has ended. */
export function Job() {
  const params = useParams({ from: '/deployments/$kind/$id' })
  const kind = kindIn(params.kind)
  const found = useQuery(jobQuery(kind, Number(params.id)))
  return <Loaded query={found}>{(job) => <JobPage kind={kind} job={job} />}</Loaded>
}

function JobPage({ kind, job }: JobProps) {
  const names = useNames()
  const name = job.node === null ? names.cluster(job.cluster ?? '') : names.node(job.node)
  return (
    <Page
      title={t(job.dry_run ? `deploy.planOf.${kind}` : `deploy.title.${kind}`, { name })}
      crumbs={<Link to="/deployments">{t('nav.deployments')}</Link>}
      state={<JobState job={job} />}
      actions={<Actions kind={kind} job={job} />}
    >
      {!job.dry_run && <Steps at={isUnfinished(job) ? 'apply' : 'result'} />}
      <Confirmation kind={kind} job={job} />
      {job.message !== '' && (
        <p className={job.state === 'COMPLETED_FAILED' ? 'banner bad' : 'banner'}>{job.message}</p>
      )}
      <div className="plan-columns">
        <Card title={t('job.targets')} className="targets">
          {isUnfinished(job) && (
            <div className="job-progress">
              <Meter pct={job.progress} label={t('job.progress', { pct: String(job.progress) })} />
              <span className="num">{job.progress} %</span>
            </div>
          )}
          <Targets kind={kind} job={job} />
          <LeftOut job={job} />
        </Card>
        <Card title={t('job.about')}>
          <Facts
            facts={[
              [t('deploy.kind'), t(`deploy.kind.${kind}`)],
              [t('job.created'), <Time key="c" at={job.created} />],
              [t('job.started'), <Age key="s" at={job.started} />],
              [t('job.took'), tookOf(job)],
              [
                t('job.by'),
                <Link key="a" to="/audit" search={{ resource: resourceOf(kind), resource_id: job.id }}>
                  {t('nav.audit')}
                </Link>,
              ],
            ]}
          />
        </Card>
      </div>
    </Page>
  )
}

function resourceOf(kind: DeploymentKind): string {
  return kind === 'shares' ? 'gateway_deployments' : 'user_db_deployments'
}

function useJobAction(kind: DeploymentKind, { id }: JobRecord, verb: 'cancel' | 'confirm') {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: () => deploymentsOf(kind)[verb].mutate({ id }),
    onSuccess: (job) => queries.setQueryData(jobQuery(kind, Number(id)).queryKey, job),
    onError: (error) => toast(errorText(error)),
  })
}

function Actions({ kind, job }: JobProps) {
  const cancel = useJobAction(kind, job, 'cancel')
  if (job.dry_run)
    return (
      <Link to="/deployments/new" search={{ kind, plan: job.id }} className="btn primary">
        {t('job.openPlan')}
      </Link>
    )
  if (!isUnfinished(job) || !job.targets.some(({ state }) => state === 'waiting')) return null
  return (
    <Action isBusy={cancel.isPending} onClick={() => cancel.mutate()}>
      {t('job.cancel')}
    </Action>
  )
}

/** Asks to keep what the nodes return from by themselves. */
function Confirmation({ kind, job }: JobProps) {
  const confirm = useJobAction(kind, job, 'confirm')
  const { confirm_within_s: seconds } = job
  if (seconds === null || !waitsForConfirmation(job)) return null
  return (
    <div className="banner warn confirm-banner" role="alert">
      <span>{t('job.confirm.why', { time: duration(seconds) })}</span>
      <Action kind="primary" small isBusy={confirm.isPending} onClick={() => confirm.mutate()}>
        {t('job.confirm')}
      </Action>
    </div>
  )
}
