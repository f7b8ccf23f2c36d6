import './explore.css'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import type { FormEvent } from 'react'
import { metricNames } from '../api/queries/history.js'
import type { Source } from '../api/queries/history.js'
import { MetricChart } from '../charts/metric-chart.js'
import { rangeNamed, RangeChoice, ranges } from '../charts/range.js'
import { Explained } from '../shell/explained.js'
import { ForCluster } from '../shell/for-cluster.js'
import { Card } from '../ui/card.js'
import { Copy } from '../ui/copy.js'
import { Empty } from '../ui/empty.js'
import { Field } from '../ui/field.js'
import { Activity } from '../ui/icons.js'
import { Page } from '../ui/page.js'
import { t } from '../words/text.js'
import { matchingNames, sourcesOf } from './sources.js'

const examples = ['load.*', 'aggregation.cpu-average.cpu.*', 'memory.*', 'interface.*.if_octets.rx', 'recon.object.*']

/** The API explains this many at once. */
const mostExplained = 20

/** Any metric of the cluster or of nodes, side by side. The address has all of it. */
export function Explore() {
  return <ForCluster title={t('nav.explore')}>{({ id }) => <ExploreOf cluster={id} />}</ForCluster>
}

function ExploreOf({ cluster }: { readonly cluster: number }) {
  const search = useSearch({ from: '/explore' })
  const navigate = useNavigate({ from: '/explore' })
  const { metrics, of } = search
  const span = rangeNamed(search.range, '24h')
  const patterns = (metrics ?? '')
    .split(',')
    .map((part) => part.trim())
    .filter(Boolean)
  const sources = sourcesOf(of, cluster)
  const show = (next: { metrics?: string; of?: string; range?: string }) =>
    void navigate({ search: (old) => ({ ...old, ...next }) })
  const actions = (
    <>
      <RangeChoice value={span} onChange={(range) => show({ range })} />
      <Copy wide text={location.href} label={t('explore.link')} />
    </>
  )
  return (
    <Page title={t('nav.explore')} actions={actions}>
      <Question key={`${metrics ?? ''} ${of ?? ''}`} metrics={metrics ?? ''} of={of ?? ''} onShow={show} />
      {patterns.length === 0 && <NoPattern onShow={show} />}
      {patterns.length > 0 &&
        sources.map((source) => (
          <Card
            key={`${source.of} ${source.id}`}
            title={titleOf(source)}
            aside={<Matches source={source} patterns={patterns} />}
          >
            <MetricChart
              title={titleOf(source)}
              source={source}
              metrics={patterns}
              range={ranges[span]}
              height={240}
              syncKey="explore"
            />
          </Card>
        ))}
    </Page>
  )
}

function titleOf({ of, id }: Source): string {
  return of === 'cluster' ? t('explore.cluster') : `${t('devices.node')} ${id}`
}

interface QuestionProps {
  readonly metrics: string
  readonly of: string
  readonly onShow: (next: { metrics: string; of: string }) => void
}

function Question({ metrics, of, onShow }: QuestionProps) {
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const { metrics = '', of = '' } = Object.fromEntries(new FormData(event.currentTarget)) as Readonly<
      Record<string, string>
    >
    onShow({ metrics, of })
  }
  return (
    <form className="card question" onSubmit={submit}>
      <Field label={t('explore.pattern')} help={t('explore.help')}>
        <input className="input mono" name="metrics" type="search" defaultValue={metrics} placeholder="load.*" />
      </Field>
      <Field label={`${t('explore.source')} (${t('explore.node')})`}>
        <input className="input" name="of" defaultValue={of} placeholder={t('explore.cluster')} inputMode="numeric" />
      </Field>
      <button type="submit" className="btn primary">
        {t('explore.show')}
      </button>
    </form>
  )
}

function NoPattern({ onShow }: { readonly onShow: (next: { metrics: string }) => void }) {
  return (
    <section className="card">
      <Empty icon={Activity} title={t('explore.none')} next={t('explore.none.next')}>
        <div className="filters">
          {examples.map((metrics) => (
            <button key={metrics} type="button" className="btn s mono" onClick={() => onShow({ metrics })}>
              {metrics}
            </button>
          ))}
        </div>
      </Empty>
    </section>
  )
}

function Matches({ source, patterns }: { readonly source: Source; readonly patterns: readonly string[] }) {
  const { data } = useQuery(metricNames(source))
  if (data === undefined) return null
  const names = matchingNames(data, patterns)
  const text = t('explore.matches', { count: names.length })
  if (source.of !== 'cluster' || names.length === 0) return <span className="muted small">{text}</span>
  if (names.length > mostExplained)
    return (
      <span className="muted small" title={t('explain.tooMany')}>
        {text}
      </span>
    )
  return (
    <Explained of="metrics" metrics={names.join(',')}>
      {text}
    </Explained>
  )
}
