import { Link } from '@tanstack/react-router'
import mark from '../design/roost.svg?inline'
import { t } from '../words/text.js'
import { sections } from './navigation.js'

interface SidebarProps {
  /** On a narrow screen it covers the page while it is open. */
  readonly isOpen: boolean
  readonly onClose: () => void
}

export function Sidebar({ isOpen, onClose }: SidebarProps) {
  return (
    <>
      {isOpen && <button type="button" className="side-veil" aria-label={t('ui.close')} onClick={onClose} />}
      <nav className="side" aria-label={t('nav.screens')} data-open={isOpen}>
        <Link to="/" className="brand" onClick={onClose}>
          <img src={mark} alt="" width={24} height={24} /> Roost
        </Link>
        {sections.map(({ name, entries }) => (
          <div key={name ?? ''} className="side-section">
            {name !== null && <h2>{t(name)}</h2>}
            {entries.map(({ to, name, icon: Icon }) => (
              <Link
                key={to}
                to={to}
                className="side-entry"
                activeOptions={{ exact: to === '/', includeSearch: false }}
                onClick={onClose}
              >
                <Icon aria-hidden="true" size={16} />
                {t(name)}
              </Link>
            ))}
          </div>
        ))}
      </nav>
    </>
  )
}
