import { check } from './check.js'
import { countText } from './text.js'

/** Answers of a proxy to requests within the last minutes. */
interface ResponseFacts {
  readonly minutes: number
  readonly total: number
  /** Those with a status from 500. */
  readonly errors: number
  /** Whether it was found the last time: it ends a tenth below the limit where it begins. */
  readonly isKnown: boolean
}

const mostPercent = 1
/** One failed request of few is no share. */
const fewestRequests = 100

export const proxyErrors = check({
  code: 'proxy_errors',
  severity: 'warning',
  about: 'server',
  endangers: 'service',
  effect: 'Requests of clients fail.',
  measure: { what: 'percent of the answers with a status from 500' },
  alert: { forSeconds: 600 },
  judge({ minutes, total, errors, isKnown }: ResponseFacts) {
    if (total <= fewestRequests) return undefined
    const percent = (100 * errors) / total
    if (percent <= (isKnown ? 0.9 : 1) * mostPercent) return undefined
    return {
      value: Math.round(percent * 100) / 100,
      threshold: mostPercent,
      subject: 'proxy-server',
      sentence: `The proxy answered ${percent.toFixed(1)} % of ${countText(Math.round(total), 'request')} within ${countText(minutes, 'minute')} with a status from 500.`,
      remedy: 'Look at its log, and whether the storage servers answer.',
    }
  },
})
