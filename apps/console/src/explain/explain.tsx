import './explain.css'
import { useQuery } from '@tanstack/react-query'
import { Link, useParams, useSearch } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { explainable, explanations } from '../api/queries/clusters.js'
import type { Explainable, Explanation, Explanations } from '../api/queries/clusters.js'
import { Explained } from '../shell/explained.js'
import { ForCluster } from '../shell/for-cluster.js'
import { NotFound } from '../shell/not-found.js'
import { Loaded } from '../state/loaded.js'
import { Card } from '../ui/card.js'
import { Empty } from '../ui/empty.js'
import { Page } from '../ui/page.js'
import { t } from '../words/text.js'
import { addressOf, titleOf, valueName, valueText } from './number-text.js'
import { Parts } from './parts.js'

/** The screens that show the numbers. */
const screens = {
  capacity: ['/capacity', 'nav.capacity'],
  forecast: ['/capacity', 'nav.capacity'],
  health: ['/swift', 'nav.swift'],
  metrics: ['/explore', 'nav.explore'],
} as const satisfies Readonly<Record<Explainable, readonly [string, string]>>

/** Of which nodes and devices the numbers of a cluster are made, and by which rule. The address names one of them, or none for all. */
export function Explain() {
  const { of } = useParams({ from: '/explain/$of' })
  const kind = explainable.find((each) => each === of)
  if (kind === undefined) return <NotFound />
  return <ForCluster title={t(`explain.of.${kind}`)}>{({ id }) => <OfCluster of={kind} cluster={id} />}</ForCluster>
}

function OfCluster({ of, cluster }: { readonly of: Explainable; readonly cluster: number }) {
  const { name, metrics = '' } = useSearch({ from: '/explain/$of' })
  const found = useQuery(explanations(of, cluster, metrics.split(',').filter(Boolean)))
  const number = found.data?.explained.find((one) => addressOf(one.name) === name)
  const [to, screen] = screens[of]
  const crumbs = (
    <>
      <Link to={to} search={of === 'metrics' ? { metrics } : {}}>
        {t(screen)}
      </Link>
      {name !== undefined && (
        <>
          {' › '}
          <All of={of} metrics={metrics} />
        </>
      )}
    </>
  )
  const title = number === undefined ? t(`explain.of.${of}`) : titleOf(of, number.name)
  return (
    <Page title={title} crumbs={crumbs}>
      <Loaded query={found}>
        {(answer) => {
          if (name === undefined) return <Numbers of={of} metrics={metrics} explained={answer.explained} />
          if (number === undefined) return <Unknown of={of} metrics={metrics} />
          return <OneNumber key={name} number={number} made={answer.made} />
        }}
      </Loaded>
    </Page>
  )
}

interface QuestionProps {
  readonly of: Explainable
  readonly metrics: string
}

function All({ of, metrics }: QuestionProps) {
  return (
    <Link to="/explain/$of" params={{ of }} search={{ metrics }}>
      {t(`explain.of.${of}`)}
    </Link>
  )
}

function Unknown(question: QuestionProps) {
  return (
    <section className="card">
      <Empty title={t('explain.unknown')} next={t('explain.unknown.next')}>
        <All {...question} />
      </Empty>
    </section>
  )
}

function Numbers({ of, metrics, explained }: QuestionProps & Pick<Explanations, 'explained'>) {
  if (explained.length === 0)
    return (
      <section className="card">
        <Empty title={t('explain.none')} next={t('explain.none.next')} />
      </section>
    )
  return explained.map((number) => (
    <NumberCard
      key={number.name}
      title={titleOf(of, number.name)}
      number={number}
      aside={
        <span className="small num">
          {t('explain.counted', { count: number.counted_count })} ·{' '}
          {t('explain.leftOut', { count: number.left_out_count })} ·{' '}
          <Explained of={of} name={addressOf(number.name)} {...(metrics === '' ? {} : { metrics })}>
            {t('explain.showParts')}
          </Explained>
        </span>
      }
    />
  ))
}

interface NumberProps {
  readonly number: Explanation
}

function OneNumber({ number, made }: NumberProps & Pick<Explanations, 'made'>) {
  return (
    <>
      <NumberCard title={t('explain.rule')} number={number} />
      <Parts number={number} made={made} />
    </>
  )
}

interface NumberCardProps extends NumberProps {
  readonly title: string
  readonly aside?: ReactNode
}

/** The values of a number and how they are made of those of its parts. */
function NumberCard({ title, number: { name, rule, values }, aside }: NumberCardProps) {
  return (
    <Card title={title} aside={aside}>
      {/* The rules are sentences of the API. */}
      <p className="explained-rule" lang="en">
        {rule}
      </p>
      {Object.keys(values).length > 0 && (
        <dl className="explained-values">
          {Object.entries(values).map(([field, value]) => (
            <div key={field}>
              <dt>{valueName(field)}</dt>
              <dd className="num">{valueText(name, field, value)}</dd>
            </div>
          ))}
        </dl>
      )}
    </Card>
  )
}
