import uPlot from 'uplot'
import { axisTime } from '../format/time.js'

export interface ChartSeries {
  readonly label: string
  /** Null is a gap, never zero. */
  readonly values: readonly (number | null)[]
  /** The lowest and highest value of each step, drawn as a band. */
  readonly min?: readonly (number | null)[] | undefined
  readonly max?: readonly (number | null)[] | undefined
}

export interface ChartStyle {
  readonly format: (value: number) => string
  readonly height: number
  /** Charts with the same key share their cursor. */
  readonly syncKey?: string | undefined
  readonly fill?: boolean | undefined
  /** Lines unless given; areas on top of each other, or bars, of at most two series. */
  readonly shape?: 'stack' | 'bars' | undefined
  /** The end of the axis; by default a little above the highest value. */
  readonly top?: number | undefined
}

/** Charts of more series cannot be read. */
export const maxSeries = 8

/** Returns the color of a token as the browser computes it, which a canvas understands. */
function colorOf(element: Element, token: string): string {
  const probe = document.createElement('i')
  probe.style.color = `var(--${token})`
  element.append(probe)
  const { color } = getComputedStyle(probe)
  probe.remove()
  return color
}

function withAlpha(color: string, alpha: number): string {
  return color.replace(/^rgb\((.+)\)$/, (_text, channels: string) => `rgba(${channels}, ${alpha})`)
}

/** Returns the rows of data: times, then each series with its band. In a stack each series begins where the one before ends. */
export function dataOf(
  times: readonly number[],
  series: readonly ChartSeries[],
  shape?: ChartStyle['shape'],
): uPlot.AlignedData {
  const drawn = shape === 'stack' ? stacked(series) : series
  const rows = drawn.flatMap(({ values, min, max }) => [values, ...(min && max ? [min, max] : [])])
  return [times as number[], ...(rows as (number | null)[][])]
}

function stacked(series: readonly ChartSeries[]): readonly ChartSeries[] {
  let below: readonly (number | null)[] = []
  return series.map(({ label, values }) => {
    const under = below
    const sums = values.map((value, i) => (isGap(series, i) ? null : (under[i] ?? 0) + (value ?? 0)))
    below = sums
    return { label, values: sums }
  })
}

function isGap(series: readonly ChartSeries[], i: number): boolean {
  return series.every(({ values }) => typeof values[i] !== 'number')
}

/** Returns the options of a chart as they follow from its series and the theme. */
export function optionsOf(element: HTMLElement, series: readonly ChartSeries[], style: ChartStyle): uPlot.Options {
  const { format, height, syncKey, fill = false, shape, top } = style
  const text = colorOf(element, 'text-3')
  const font = `11px ${getComputedStyle(element).fontFamily}`
  const axis = { stroke: text, font, ticks: { show: false } }
  return {
    width: Math.max(50, element.clientWidth),
    height,
    legend: { show: false },
    padding: [8, 8, 0, 0],
    cursor: {
      y: false,
      points: { size: 7 },
      drag: { x: false, y: false },
      ...(syncKey === undefined ? {} : { sync: { key: syncKey } }),
    },
    scales: {
      x: { range: (chart, low, high) => spanOf(low, high, shape === 'bars' ? chart.data[0].length : 0) },
      y: { range: (_chart, low, high) => rangeOf(low, high, top) },
    },
    axes: [
      {
        ...axis,
        size: 26,
        space: 84,
        grid: { show: false },
        values: (_chart, times, _axis, _space, step) => times.map((time) => axisTime(time, step)),
      },
      {
        ...axis,
        size: 66,
        space: 36,
        grid: { stroke: colorOf(element, 'border'), width: 1 },
        values: (_chart, values) => values.map((value) => format(value)),
      },
    ],
    ...(shape === undefined ? linesOf(element, series, fill) : shapesOf(element, series, shape)),
  }
}

/** A single point is in the middle of a day. With `bars`, the first and the last have space for one half. */
function spanOf(low: number, high: number, bars: number): [number, number] {
  const half = low < high ? (bars > 1 ? (high - low) / (bars - 1) / 2 : 0) : 43_200
  return [low - half, high + half]
}

/** Returns the points without a neighbor, which a line would not show. */
function alone(chart: uPlot, series: number): number[] {
  const values = chart.data[series] ?? []
  const isGap = (i: number) => typeof values[i] !== 'number'
  return [...values.keys()].filter((i) => !isGap(i) && isGap(i - 1) && isGap(i + 1))
}

function rangeOf(low: number, high: number, top: number | undefined): [number, number] {
  if (!Number.isFinite(low) || !Number.isFinite(high)) return [0, top ?? 1]
  return [Math.min(0, low), top ?? Math.max(high * 1.12, 1e-9)]
}

/** Returns areas on top of each other, or bars beside each other. */
function shapesOf(
  element: HTMLElement,
  series: readonly ChartSeries[],
  shape: 'stack' | 'bars',
): Pick<uPlot.Options, 'series' | 'bands'> {
  const lines: uPlot.Series[] = [{}]
  const bands: uPlot.Band[] = []
  for (const [i, { label }] of series.entries()) {
    const stroke = colorOf(element, `series-${(i % maxSeries) + 1}`)
    const fill = withAlpha(stroke, 0.45)
    if (shape === 'bars') {
      const paths = uPlot.paths.bars?.({ size: [0.4, 36], align: series.length === 1 ? 0 : i === 0 ? -1 : 1 })
      lines.push({ label, stroke, fill, points: { show: false }, ...(paths === undefined ? {} : { paths }) })
      continue
    }
    lines.push({
      label,
      stroke,
      width: 1.2,
      points: { size: 5, fill: stroke, filter: alone },
      ...(i === 0 ? { fill } : {}),
    })
    if (i > 0) bands.push({ series: [i + 1, i], fill })
  }
  return { series: lines, bands }
}

function linesOf(
  element: HTMLElement,
  series: readonly ChartSeries[],
  fill: boolean,
): Pick<uPlot.Options, 'series' | 'bands'> {
  const lines: uPlot.Series[] = [{}]
  const bands: uPlot.Band[] = []
  for (const [i, { label, min, max }] of series.entries()) {
    const stroke = colorOf(element, `series-${(i % maxSeries) + 1}`)
    const isFilled = fill && series.length <= 3
    lines.push({
      label,
      stroke,
      width: 1.7,
      points: { size: 5, fill: stroke, filter: alone },
      ...(isFilled ? { fill: withAlpha(stroke, 0.1) } : {}),
    })
    if (min === undefined || max === undefined) continue
    const edge = { stroke: 'transparent', width: 0, points: { show: false } }
    lines.push({ ...edge, label: `${label} min` }, { ...edge, label: `${label} max` })
    bands.push({ series: [lines.length - 1, lines.length - 2], fill: withAlpha(stroke, 0.14) })
  }
  return { series: lines, bands }
}
