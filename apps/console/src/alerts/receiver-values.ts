import { AlertReceiverChange, AlertReceiverInput, faultsOf, receiverSettings } from '@roost/api-types/rest'
import type { AlertReceiverKind } from '@roost/api-types/rest'
import type { Faults } from '../form/use-form.js'
import { t } from '../words/text.js'

/** What the form of a receiver contains: the settings of every kind, of which only those of the chosen one are sent. */
export interface ReceiverValues {
  readonly name: string
  readonly kind: AlertReceiverKind
  /** Id of a cluster; empty: all. */
  readonly cluster: string
  readonly least_severity: 'warning' | 'critical'
  readonly send_resolved: boolean
  /** Whether the settings below replace those that the receiver has. A new one has none. */
  readonly replaces: boolean
  readonly url: string
  /** One a line. */
  readonly urls: string
  readonly authorization: string
  readonly ca: string
  readonly host: string
  readonly port: string
  readonly security: string
  readonly user: string
  readonly password: string
  readonly from: string
  /** One a line. */
  readonly to: string
}

export const newReceiver: ReceiverValues = {
  name: '',
  kind: 'webhook',
  cluster: '',
  least_severity: 'warning',
  send_resolved: true,
  replaces: true,
  url: '',
  urls: '',
  authorization: '',
  ca: '',
  host: '',
  port: '587',
  security: 'starttls',
  user: '',
  password: '',
  from: '',
  to: '',
}

/** Returns the choices of the least urgent alerts that a receiver gets. */
export function leastSeverities() {
  return (['warning', 'critical'] as const).map((least) => [least, t(`receivers.least.${least}`)] as const)
}

function linesOf(text: string): readonly string[] {
  return text.split(/[\s,]+/).filter(Boolean)
}

/** Returns the settings of the chosen kind, without those that are empty. */
function settingsOf(values: ReceiverValues): Readonly<Record<string, unknown>> {
  const { kind, url, urls, authorization, ca, host, port, security, user, password, from, to } = values
  const http = { authorization: authorization.trim(), ca: ca.trim() }
  const settings = {
    webhook: { url: url.trim(), ...http },
    alertmanager: { urls: linesOf(urls), ...http },
    email: { host: host.trim(), port: Number(port), security, user, password, from: from.trim(), to: linesOf(to), ca },
  }[kind]
  return Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== ''))
}

export function receiverInput(values: ReceiverValues) {
  const { name, kind, cluster, least_severity, send_resolved } = values
  return {
    name: name.trim(),
    kind,
    cluster: cluster === '' ? null : Number(cluster),
    least_severity,
    send_resolved,
    settings: settingsOf(values),
  }
}

/** Returns the faults by the names of the form: those of the settings are at their own fields. */
export function checkReceiver(values: ReceiverValues): Faults {
  const input = receiverInput(values)
  return { ...faultsOf(AlertReceiverInput, input), ...faultsOf(receiverSettings[values.kind], input.settings) }
}

/** Returns a change of a receiver, which keeps its kind and its cluster. */
export function receiverChange(values: ReceiverValues) {
  const { name, least_severity, send_resolved, replaces } = values
  const change = { name: name.trim(), least_severity, send_resolved }
  return replaces ? { ...change, settings: settingsOf(values) } : change
}

export function checkReceiverChange(values: ReceiverValues): Faults {
  const settings = values.replaces ? faultsOf(receiverSettings[values.kind], settingsOf(values)) : {}
  return { ...faultsOf(AlertReceiverChange, receiverChange(values)), ...settings }
}
