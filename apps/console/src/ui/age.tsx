import { ago, dateTime, utc } from '../format/time.js'
import { noValue } from '../format/numbers.js'
import { useNow } from './clock.js'

/** How long ago something was, with the exact times in its title. */
export function Age({ at }: { readonly at: string | null }) {
  const now = useNow()
  if (at === null) return <span className="muted">{noValue}</span>
  return (
    <time className="num nowrap" dateTime={at} title={timesOf(at)}>
      {ago(at, now)}
    </time>
  )
}

/** A date and time. */
export function Time({ at }: { readonly at: string | null }) {
  if (at === null) return <span className="muted">{noValue}</span>
  return (
    <time className="num" dateTime={at} title={timesOf(at)}>
      {dateTime(at)}
    </time>
  )
}

function timesOf(at: string): string {
  const [local, universal] = [dateTime(at), utc(at)]
  return local === universal ? universal : `${local}\n${universal}`
}
