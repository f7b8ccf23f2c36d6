import './deployments.css'
import { useQuery } from '@tanstack/react-query'
import { Link, useSearch } from '@tanstack/react-router'
import { generationDiff, generations as generationsQuery } from '../api/queries/deployments.js'
import type { DeploymentKind, GenerationRecord } from '../api/queries/deployments.js'
import type { NodeRecord } from '../api/queries/nodes.js'
import { idIn } from '../api/uri.js'
import { Action } from '../form/form.js'
import { count, noValue } from '../format/numbers.js'
import { PlainTable } from '../list/plain-table.js'
import { useSearchChange } from '../list/use-search-change.js'
import { Loaded } from '../state/loaded.js'
import { Age } from '../ui/age.js'
import { Card } from '../ui/card.js'
import { Empty } from '../ui/empty.js'
import { Field } from '../ui/field.js'
import { Rocket } from '../ui/icons.js'
import { Tag } from '../ui/state-mark.js'
import { Problem } from '../ui/problem.js'
import { t } from '../words/text.js'
import { Differences } from './differences.js'
import { usePlan } from './use-plan.js'

/** Returns what is deployed to a node. */
export function kindsOf({ node_role: role }: NodeRecord): readonly DeploymentKind[] {
  return [...(role.runs_gateway ? (['shares'] as const) : []), ...(role.runs_proxy ? (['users'] as const) : [])]
}

interface PartProps {
  readonly node: NodeRecord
  readonly kind: DeploymentKind
  readonly generations: readonly GenerationRecord[]
}

/** What was deployed to a node before: what differs, and the return to it. */
export function NodeGenerations({ node }: { readonly node: NodeRecord }) {
  const search = useSearch({ from: '/nodes/$id/{-$tab}' })
  const kinds = kindsOf(node)
  const kind = kinds.find((each) => each === search.kind) ?? kinds[0] ?? 'shares'
  const query = useQuery(generationsQuery(node.id, kind))
  return (
    <div className="generations">
      {kinds.length > 1 && <KindChoice kinds={kinds} chosen={kind} />}
      <Card title={t('node.generations')}>
        <Loaded query={query}>
          {({ generations }) =>
            generations.length === 0 ? (
              <Empty icon={Rocket} title={t('deploy.none')} next={t('deploy.none.next')} />
            ) : (
              <Rows node={node} kind={kind} generations={generations} />
            )
          }
        </Loaded>
      </Card>
      {(query.data?.generations.length ?? 0) > 1 && (
        <Comparison node={node} kind={kind} generations={query.data?.generations ?? []} />
      )}
    </div>
  )
}

function KindChoice({ kinds, chosen }: { readonly kinds: readonly DeploymentKind[]; readonly chosen: DeploymentKind }) {
  const change = useSearchChange()
  return (
    <div className="filters" role="group" aria-label={t('deploy.kind')}>
      {kinds.map((kind) => (
        <button
          key={kind}
          type="button"
          className="btn s"
          aria-pressed={kind === chosen}
          onClick={() => change({ kind, a: '', b: '' })}
        >
          {t(`deploy.kind.${kind}`)}
        </button>
      ))}
    </div>
  )
}

function Rows({ node, kind, generations }: PartProps) {
  const change = useSearchChange()
  const returning = usePlan()
  const headings = [
    { text: t('job.generation'), className: 'r' as const },
    t('nodes.state'),
    t('job.created'),
    t('job.by'),
    t('generations.how'),
    { text: t(`deploy.kind.${kind}`), className: 'r' as const },
    { text: t('job.actions'), isHidden: true },
  ]
  return (
    <>
      <PlainTable label={t('node.generations')} headings={headings} isPart>
        {generations.map((each, i) => {
          const { generation, is_in_force: inForce, is_desired: desired } = each
          const previous = generations[i + 1]?.generation
          return (
            <tr key={generation}>
              <th scope="row" className="r">
                {generation}
              </th>
              <td>
                {inForce && <Tag tone="ok">{t('generations.inForce')}</Tag>}{' '}
                {desired && !inForce && <Tag tone="warn">{t('generations.desired')}</Tag>}
              </td>
              <td>
                <Age at={each.created} />
              </td>
              <td>{each.operator ?? noValue}</td>
              <td>
                <Maker kind={kind} generation={each} />
              </td>
              <td className="r">{count(each.records)}</td>
              <td className="r">
                {previous !== undefined && (
                  <button
                    type="button"
                    className="btn s"
                    onClick={() => change({ a: String(previous), b: String(generation) })}
                  >
                    {t('generations.compare', { generation: String(previous) })}
                  </button>
                )}{' '}
                {!(inForce && desired) && (
                  <Action
                    small
                    isBusy={returning.isBusy}
                    onClick={() => returning.start({ kind, node: node.resource_uri, generation })}
                  >
                    {t('job.return', { generation: String(generation) })}
                  </Action>
                )}
              </td>
            </tr>
          )
        })}
      </PlainTable>
      <Problem text={returning.problem} />
    </>
  )
}

interface MakerProps {
  readonly kind: DeploymentKind
  readonly generation: GenerationRecord
}

/** What made a generation. */
function Maker({ kind, generation: { action, job, returned_to: returned } }: MakerProps) {
  if (action === null) return noValue
  if (job === null) return t(`generations.${action}`)
  const id = String(idIn(job))
  return (
    <>
      <Link to="/deployments/$kind/$id" params={{ kind, id }}>
        {t('generations.job', { id })}
      </Link>
      {returned !== null && (
        <span className="muted"> {t('generations.returned', { generation: String(returned) })}</span>
      )}
    </>
  )
}

/** Two generations side by side. Both are in the address. */
function Comparison({ node: { id }, kind, generations }: PartProps) {
  const { a, b } = useSearch({ from: '/nodes/$id/{-$tab}' })
  const change = useSearchChange()
  const [newest, previous] = generations.map(({ generation }) => generation)
  const [from, to] = [Number(a ?? previous), Number(b ?? newest)]
  const query = useQuery(generationDiff(id, kind, from, to))
  const choice = (label: string, field: 'a' | 'b', value: number) => (
    <Field label={label}>
      <select
        className="input"
        value={value}
        onChange={({ target }) => change({ a: String(from), b: String(to), [field]: target.value })}
      >
        {generations.map(({ generation }) => (
          <option key={generation} value={generation}>
            {generation}
          </option>
        ))}
      </select>
    </Field>
  )
  return (
    <Card title={t('generations.diff')}>
      <div className="compared">
        {choice(t('generations.from'), 'a', from)}
        {choice(t('generations.to'), 'b', to)}
      </div>
      <Loaded query={query}>
        {({ differences }) =>
          differences.length === 0 ? (
            <p className="muted">{t('generations.same')}</p>
          ) : (
            <Differences differences={differences} label={t('generations.diff')} />
          )
        }
      </Loaded>
    </Card>
  )
}
