import { t } from '../../words/text.js'

/** Returns the choices of an urgency. */
export function severities(): readonly (readonly [value: 'warning' | 'critical', text: string])[] {
  return (['warning', 'critical'] as const).map((severity) => [severity, t(`severity.${severity}`)])
}
