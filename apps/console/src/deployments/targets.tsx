import type { DeploymentKind, JobRecord } from '../api/queries/deployments.js'
import { Action } from '../form/form.js'
import { noValue } from '../format/numbers.js'
import { PlainTable } from '../list/plain-table.js'
import { Check, X } from '../ui/icons.js'
import { StateMark } from '../ui/state-mark.js'
import type { Tone } from '../ui/tone.js'
import { Problem } from '../ui/problem.js'
import { t, tOr } from '../words/text.js'
import { useNames } from './use-names.js'
import { usePlan } from './use-plan.js'

type Target = JobRecord['targets'][number]

const phases = ['planned', 'staged', 'applied'] as const
const tones: Readonly<Record<Target['state'], Tone>> = {
  waiting: 'mute',
  planned: 'mute',
  staged: 'warn',
  applied: 'ok',
  failed: 'bad',
  rolled_back: 'bad',
}

/** Each node with how far it is. */
export function Targets({ kind, job }: { readonly kind: DeploymentKind; readonly job: JobRecord }) {
  const names = useNames()
  const returning = usePlan()
  const canReturn = job.finished !== null && !job.dry_run
  const headings = [
    t('nodes.host'),
    ...(job.dry_run ? [] : phases.map((phase) => ({ text: t(`target.${phase}`), className: 'phase' as const }))),
    t('nodes.state'),
    { text: t('job.generation'), className: 'r' as const },
    t('job.message'),
    ...(canReturn ? [{ text: t('job.actions'), isHidden: true }] : []),
  ]
  return (
    <>
      <PlainTable label={t('job.targets')} headings={headings} isPart>
        {job.targets.map((target, i) => {
          const { state, message } = target
          const node = 'node' in target ? target.node : undefined
          const generation = 'generation' in target ? target.generation : null
          return (
            // eslint-disable-next-line react/no-array-index-key -- targets stay in their order
            <tr key={i}>
              <th scope="row">{node === undefined ? t('deploy.identity') : names.node(node)}</th>
              {!job.dry_run && phases.map((phase) => <Phase key={phase} phase={phase} state={state} />)}
              <td>
                <StateMark tone={tones[state]} label={tOr(`target.${state}`)} />
              </td>
              <td className="r">{generation ?? noValue}</td>
              <td>{message}</td>
              {canReturn && (
                <td className="r">
                  {node !== undefined && generation !== null && state === 'applied' && (
                    <Action small isBusy={returning.isBusy} onClick={() => returning.start({ kind, node, generation })}>
                      {t('job.return', { generation: String(generation) })}
                    </Action>
                  )}
                </td>
              )}
            </tr>
          )
        })}
      </PlainTable>
      <Problem text={returning.problem} />
    </>
  )
}

/** A mark where a node has passed a phase. */
function Phase({ phase, state }: { readonly phase: (typeof phases)[number]; readonly state: Target['state'] }) {
  const reached = phases.indexOf(state as (typeof phases)[number])
  const isDone = reached >= phases.indexOf(phase)
  const isFailed = phase === 'applied' && (state === 'failed' || state === 'rolled_back')
  const name = isDone ? t('target.done') : t('target.open')
  return (
    <td className="phase">
      {isDone && <Check size={15} className="ok-text" aria-hidden="true" />}
      {isFailed && <X size={15} className="bad-text" aria-hidden="true" />}
      <span className="sr">{isFailed ? tOr(`target.${state}`) : name}</span>
    </td>
  )
}
