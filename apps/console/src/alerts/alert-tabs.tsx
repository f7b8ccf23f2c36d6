import { Link } from '@tanstack/react-router'
import { alertScreens } from '../shell/navigation.js'
import { t } from '../words/text.js'

/** The parts of alerts, each with an address. */
export function AlertTabs() {
  return (
    <nav className="tabs" aria-label={t('nav.alerts')}>
      {alertScreens.map(({ to, name }) => (
        <Link key={to} to={to} activeOptions={{ exact: true, includeSearch: false }}>
          {t(name)}
        </Link>
      ))}
    </nav>
  )
}
