import { Link, useSearch } from '@tanstack/react-router'
import { readKeys, readOperators, readSessions, readTokens } from '../api/queries/access.js'
import type { ListSource } from '../api/use-pages.js'
import { ExportRows } from '../list/export.js'
import { Page } from '../ui/page.js'
import { t } from '../words/text.js'
import { Keys } from './keys.js'
import { Operators } from './operators.js'
import { Sessions } from './sessions.js'
import { Tokens } from './tokens.js'

const tabs = { operators: Operators, keys: Keys, sessions: Sessions, tokens: Tokens } as const
/** What reads the rows of each tab for its file. */
const reads = {
  operators: readOperators,
  keys: readKeys,
  sessions: readSessions,
  tokens: readTokens,
} as const satisfies Readonly<Record<Tab, ListSource<object>['read']>>
type Tab = keyof typeof tabs
const tabNames = Object.keys(tabs) as readonly Tab[]

/** Who calls this control plane, and with what. */
export function Access() {
  const search = useSearch({ from: '/access' })
  const chosen = tabNames.find((tab) => tab === search.tab) ?? 'operators'
  const Shown = tabs[chosen]
  return (
    <Page
      title={t('nav.accessControl')}
      actions={<ExportRows<object> key={chosen} name={chosen} reads={[reads[chosen]]} />}
    >
      <nav className="tabs" aria-label={t('nav.accessControl')}>
        {tabNames.map((tab) => (
          <Link
            key={tab}
            to="/access"
            search={(old) => ({ ...old, tab })}
            aria-current={tab === chosen ? 'page' : undefined}
          >
            {t(`access.tab.${tab}`)}
          </Link>
        ))}
      </nav>
      <Shown />
    </Page>
  )
}
