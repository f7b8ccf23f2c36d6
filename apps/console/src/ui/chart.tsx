import './chart.css'
import 'uplot/dist/uPlot.min.css'
import { useEffect, useEffectEvent, useId, useRef, useState } from 'react'
import uPlot from 'uplot'
import { dateTime } from '../format/time.js'
import { t } from '../words/text.js'
import { dataOf, optionsOf } from './chart-options.js'
import type { ChartStyle, ChartSeries } from './chart-options.js'
import { ChartTable } from './chart-table.js'

export interface ChartProps extends Omit<ChartStyle, 'height'> {
  readonly title: string
  /** Unix seconds, ascending. */
  readonly times: readonly number[]
  readonly series: readonly ChartSeries[]
  readonly height?: number
}

/** Lines over time on a canvas. Its values are also a legend, a caption for readers of the screen, and a table. */
export function Chart(props: ChartProps) {
  const { title, times, series, format, height = 180 } = props
  const [cursor, setCursor] = useState<number | null>(null)
  const [isTable, setTable] = useState(false)
  const id = useId()
  const at = cursor !== null && cursor < times.length ? cursor : lastWithValue(series, times.length)
  const time = times[at]
  return (
    <div className="chart" role="group" aria-labelledby={id}>
      <p id={id} className="sr">
        {title}:{' '}
        {series
          .map(({ label, values }) => `${label} ${textOf(values[lastWithValue(series, times.length)], format)}`)
          .join(', ')}
      </p>
      {isTable ? (
        <ChartTable title={title} times={times} series={series} format={format} height={height} />
      ) : (
        <Canvas key={shapeOf({ series, height })} {...props} height={height} onCursor={setCursor} />
      )}
      <div className="legend num">
        {series.map(({ label, values }, i) => (
          <span key={label} aria-hidden="true">
            <i style={{ background: `var(--series-${(i % 8) + 1})` }} />
            {label} <b>{textOf(values[at], format)}</b>
          </span>
        ))}
        <time className="muted">{time === undefined ? '' : dateTime(new Date(time * 1000).toISOString())}</time>
        <button type="button" className="link" aria-pressed={isTable} onClick={() => setTable(!isTable)}>
          {t('ui.asTable')}
        </button>
      </div>
    </div>
  )
}

interface CanvasProps extends ChartProps {
  readonly height: number
  readonly onCursor: (index: number | null) => void
}

/** What needs another chart; other values are only set. */
function shapeOf({ series, height }: Pick<CanvasProps, 'series' | 'height'>): string {
  return [height, ...series.map(({ label, min }) => (min === undefined ? label : `${label}±`))].join('|')
}

function Canvas({ onCursor, ...props }: CanvasProps) {
  const area = useRef<HTMLDivElement>(null)
  const plot = useRef<uPlot | null>(null)
  const { times, series, height, shape } = props
  const build = useEffectEvent((element: HTMLElement) => {
    plot.current?.destroy()
    const options = optionsOf(element, series, props)
    options.hooks = { setCursor: [({ cursor }) => onCursor(cursor.idx ?? null)] }
    plot.current = new uPlot(options, dataOf(times, series, shape), element)
  })
  useEffect(() => {
    const element = area.current
    if (element === null) return undefined
    build(element)
    const stop = followPage(element, {
      onSize: () => plot.current?.setSize({ width: Math.max(50, element.clientWidth), height }),
      onTheme: () => build(element),
    })
    return () => {
      stop()
      plot.current?.destroy()
      plot.current = null
    }
  }, [height])
  useEffect(() => plot.current?.setData(dataOf(times, series, shape)), [times, series, shape])
  return <div ref={area} className="chart-area" style={{ height }} aria-hidden="true" />
}

/** Reports changes of the size of an element and of the theme. */
function followPage(
  element: Element,
  { onSize, onTheme }: { readonly onSize: () => void; readonly onTheme: () => void },
): () => void {
  const sizes = new ResizeObserver(onSize)
  sizes.observe(element)
  const themes = new MutationObserver(onTheme)
  themes.observe(document.documentElement, { attributes: true, attributeFilter: ['data-theme'] })
  const system = matchMedia('(prefers-color-scheme: dark)')
  system.addEventListener('change', onTheme)
  return () => {
    sizes.disconnect()
    themes.disconnect()
    system.removeEventListener('change', onTheme)
  }
}

function lastWithValue(series: readonly ChartSeries[], length: number): number {
  for (let at = length - 1; at >= 0; at -= 1) if (series.some(({ values }) => typeof values[at] === 'number')) return at
  return length - 1
}

function textOf(value: number | null | undefined, format: (value: number) => string): string {
  return value === null || value === undefined ? t('ui.noValue') : format(value)
}
