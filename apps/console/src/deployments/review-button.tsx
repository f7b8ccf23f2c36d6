import { Action } from '../form/form.js'
import { Problem } from '../ui/problem.js'
import { t } from '../words/text.js'
import { usePlan } from './use-plan.js'
import type { PlanRequest } from './use-plan.js'

/** Plans a deployment, and opens its page. */
export function ReviewButton(request: PlanRequest) {
  const { start, isBusy, problem } = usePlan()
  return (
    <>
      <Action small isBusy={isBusy} onClick={() => start(request)}>
        {t('deploy.review')}
      </Action>
      <Problem text={problem} />
    </>
  )
}
