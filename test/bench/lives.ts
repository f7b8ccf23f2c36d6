const days = 240
const hoursADay = 24

/** How a simulated cluster lives. */
export type Life = 'steady' | 'weekly pattern' | 'bursts' | 'weekly expirer' | 'rebalance' | 'accelerating'

/** Returns the used share of the size by hour, of 240 days. The same random numbers make the same life. */
export function liveHours(kind: Life, random: () => number): Float64Array {
  const hours = new Float64Array(days * hoursADay)
  const normal = () => Math.sqrt(-2 * Math.log(Math.max(1e-12, random()))) * Math.cos(2 * Math.PI * random())
  let used = 0.25 + 0.35 * random()
  const dailyRate = 0.002 * Math.exp(0.8 * normal())
  const weekendDip = 0.6 * random()
  for (let hour = 0; hour < hours.length; hour++) {
    const day = Math.floor(hour / hoursADay)
    const byHour = 1 + 0.8 * Math.sin(((hour % hoursADay) / hoursADay) * 2 * Math.PI)
    const byDay = kind === 'steady' ? 1 : day % 7 >= 5 ? 1 - 1.5 * weekendDip : 1 + 0.6 * weekendDip
    used += (dailyRate / hoursADay) * byHour * byDay * Math.max(-1, 1 + 1.5 * normal())
    used = events[kind](used, { hour, dailyRate, random })
    hours[hour] = Math.min(1.2, Math.max(0, used))
  }
  return hours
}

interface Moment {
  readonly hour: number
  readonly dailyRate: number
  readonly random: () => number
}

const none = (used: number) => used
const events: Readonly<Record<Life, (used: number, moment: Moment) => number>> = {
  steady: none,
  'weekly pattern': none,
  bursts: (used, { random }) => (random() < 0.004 ? used + 0.01 * random() : used),
  'weekly expirer': (used, { hour, dailyRate }) =>
    hour % (7 * hoursADay) === 6 * hoursADay ? used - 6.3 * dailyRate : used,
  rebalance: (used, { hour }) =>
    used *
    (new Map([
      [80 * hoursADay, 0.6],
      [150 * hoursADay, 1.15],
    ]).get(hour) ?? 1),
  accelerating: (used, { hour, dailyRate }) => used + (dailyRate / hoursADay) * (hour / hoursADay / 80),
}

/** Random numbers in 0..1 that are the same for a seed. */
export function seededRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}
