import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { alertMetricRules, alertRules, readLimits, readRules } from '../../api/queries/alerts.js'
import { Action } from '../../form/form.js'
import { lazyForm } from '../../form/lazy-form.js'
import { ExportRows } from '../../list/export.js'
import { Loaded } from '../../state/loaded.js'
import { Page } from '../../ui/page.js'
import { t } from '../../words/text.js'
import { AlertTabs } from '../alert-tabs.js'
import { LimitTable } from './limit-table.js'
import { RuleTable } from './rule-table.js'

const RuleForm = lazyForm(() => import('./rule-form.js').then(({ RuleForm }) => RuleForm))
const LimitForm = lazyForm(() => import('./limit-form.js').then(({ LimitForm }) => LimitForm))

/** What operators have changed of alerts, and their own limits of metrics. */
export function Rules() {
  const { rule, limit } = useSearch({ from: '/alerts/rules' })
  const navigate = useNavigate({ from: '/alerts/rules' })
  const rules = useQuery(alertRules())
  const limits = useQuery(alertMetricRules())
  const open = (search: { readonly rule?: string; readonly limit?: string }) => void navigate({ search })
  const close = () => open({})
  return (
    <Page
      title={t('rules.title')}
      actions={
        <>
          <ExportRows name="rules" label={t('rules.csv')} reads={[readRules]} />
          <ExportRows name="limits" label={t('limits.csv')} reads={[readLimits]} />
          <Action onClick={() => open({ limit: 'new' })}>{t('limits.new')}</Action>
          <Action kind="primary" onClick={() => open({ rule: 'new' })}>
            {t('rules.new')}
          </Action>
        </>
      }
    >
      <AlertTabs />
      <Loaded query={rules}>
        {(list) => (
          <>
            <RuleTable list={list} onChange={(id) => open({ rule: String(id) })} />
            <Chosen list={list} chosen={rule}>
              {(found) => <RuleForm key={rule} rule={found} onClose={close} />}
            </Chosen>
          </>
        )}
      </Loaded>
      <Loaded query={limits}>
        {(list) => (
          <>
            <LimitTable list={list} onChange={(id) => open({ limit: String(id) })} />
            <Chosen list={list} chosen={limit}>
              {(found) => <LimitForm key={limit} limit={found} onClose={close} />}
            </Chosen>
          </>
        )}
      </Loaded>
    </Page>
  )
}

interface ChosenProps<R> {
  readonly list: readonly R[]
  /** `new`, or the id of a record of the list. */
  readonly chosen: string | undefined
  readonly children: (found: R | undefined) => ReactNode
}

/** Shows the form of what the address names. A record that was removed has none. */
function Chosen<R extends { readonly id: number }>({ list, chosen, children }: ChosenProps<R>) {
  const found = list.find(({ id }) => String(id) === chosen)
  return chosen === 'new' || found !== undefined ? children(found) : null
}
