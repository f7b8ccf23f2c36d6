import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { isCallError } from '../api/client.js'
import { errorText } from '../api/error-text.js'
import { deploymentsOf } from '../api/queries/deployments.js'
import type { JobPlan } from '../api/queries/deployments.js'
import { Action } from '../form/form.js'
import { count } from '../format/numbers.js'
import { duration } from '../format/time.js'
import { Card, Facts } from '../ui/card.js'
import { Field } from '../ui/field.js'
import { Problem } from '../ui/problem.js'
import { t } from '../words/text.js'
import { costOf } from './cost.js'
import type { Cost } from './cost.js'
import { targetOf, usePlan } from './use-plan.js'
import type { PlanRequest } from './use-plan.js'

interface ApplyProps {
  readonly plan: JobPlan
  readonly request: PlanRequest
  /** Typed where clients lose their session. */
  readonly clusterName: string
}

/** After how many seconds nodes return by themselves unless an operator confirms; 0: never. */
const confirmations = [0, 300, 600, 1_800, 3_600] as const

/** What a plan costs its clients, and the consent to it. */
export function Apply({ plan, request, clusterName }: ApplyProps) {
  const cost = costOf(plan)
  const [typed, setTyped] = useState('')
  const [seconds, setSeconds] = useState(0)
  const planning = usePlan()
  const applying = useApply(request, plan.plan_id)
  const { error } = applying
  const needsConsent = cost.sessions > 0
  return (
    <Card title={t('deploy.cost')} className="plan-cost">
      <Facts facts={factsOf(cost)} />
      <Problem text={error === null ? planning.problem : errorText(error)} />
      {isConflict(error) ? (
        <Action kind="primary" isBusy={planning.isBusy} onClick={() => planning.start(request)}>
          {t('deploy.planAgain')}
        </Action>
      ) : (
        <>
          {plan.identity === undefined && <Confirmation seconds={seconds} onChange={setSeconds} />}
          {needsConsent && <Consent {...{ cost, clusterName, typed }} onType={setTyped} />}
          <Action
            kind={needsConsent ? 'danger' : 'primary'}
            isBusy={applying.isPending}
            reason={needsConsent && typed !== clusterName ? t('ui.typeName', { name: clusterName }) : undefined}
            onClick={() => applying.mutate(seconds)}
          >
            {plan.identity === undefined ? t('deploy.apply', { count: cost.nodes }) : t('deploy.applyIdentity')}
          </Action>
        </>
      )}
      <p className="muted small">{t('deploy.checkedAgain')}</p>
    </Card>
  )
}

/** Returns true where the plan is no longer what the nodes would do. */
function isConflict(error: unknown): boolean {
  return isCallError(error) && error.data?.code === 'CONFLICT'
}

interface ConsentProps {
  readonly cost: Cost
  readonly clusterName: string
  readonly typed: string
  readonly onType: (text: string) => void
}

/** What has to be typed where clients lose their session. */
function Consent({ cost, clusterName, typed, onType }: ConsentProps) {
  return (
    <Field label={t('deploy.consent', { count: cost.sessions, name: clusterName })}>
      <input className="input" value={typed} autoComplete="off" onChange={({ target }) => onType(target.value)} />
    </Field>
  )
}

function useApply(request: PlanRequest, planId: string) {
  const navigate = useNavigate()
  const queries = useQueryClient()
  const { kind } = request
  return useMutation({
    mutationFn: (seconds: number) =>
      deploymentsOf(kind).create.mutate({
        ...targetOf(request),
        plan_id: planId,
        ...(seconds === 0 ? {} : { confirm_within_s: seconds }),
      }),
    onSuccess: async ({ id }) => {
      void queries.invalidateQueries({ queryKey: ['deployments'] })
      await navigate({ to: '/deployments/$kind/$id', params: { kind, id } })
    },
  })
}

function factsOf({ nodes, files, restarts, sessions, failed }: Cost) {
  return [
    [t('nav.nodes'), <b key="n">{count(nodes)}</b>],
    [t('deploy.files'), <b key="f">{count(files)}</b>],
    [t('deploy.restarts'), <b key="r">{count(restarts)}</b>],
    [
      t('deploy.sessionsEnd'),
      <b key="s" className={sessions > 0 ? 'bad-text' : ''}>
        {count(sessions)}
      </b>,
    ],
    ...(failed === 0
      ? []
      : [
          [
            t('deploy.unknown'),
            <b key="u" className="bad-text">
              {count(failed)}
            </b>,
          ] as const,
        ]),
  ] as const
}

function Confirmation({
  seconds,
  onChange,
}: {
  readonly seconds: number
  readonly onChange: (seconds: number) => void
}) {
  return (
    <Field label={t('deploy.keep')} help={seconds === 0 ? undefined : t('deploy.keep.help')}>
      <select className="input" value={seconds} onChange={({ target }) => onChange(Number(target.value))}>
        {confirmations.map((each) => (
          <option key={each} value={each}>
            {each === 0 ? t('deploy.keep.always') : t('deploy.keep.unless', { time: duration(each) })}
          </option>
        ))}
      </select>
    </Field>
  )
}
