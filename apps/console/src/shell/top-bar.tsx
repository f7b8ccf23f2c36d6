import { Menu, Moon, Search, Sun, UserRound } from '../ui/icons.js'
import { lazy, Suspense, useRef, useState } from 'react'
import { useConnection } from '../api/connection.js'
import type { Connection } from '../api/connection.js'
import { useSession } from '../api/session-context.js'
import { StateMark } from '../ui/state-mark.js'
import { t } from '../words/text.js'
import { ClusterChoice } from './cluster-choice.js'
import type { Overlay } from './overlay.js'
import { isDark, switchTheme } from './theme.js'

const Account = lazy(() => import('./account.js').then(({ Account }) => ({ default: Account })))

interface TopBarProps {
  readonly isMenuOpen: boolean
  readonly onMenu: () => void
  readonly onOverlay: (overlay: Overlay) => void
}

export function TopBar({ isMenuOpen, onMenu, onOverlay }: TopBarProps) {
  return (
    <header className="top">
      <button
        type="button"
        className="btn icon ghost burger"
        aria-label={t('shell.menu')}
        aria-expanded={isMenuOpen}
        onClick={onMenu}
      >
        <Menu size={18} aria-hidden="true" />
      </button>
      <button type="button" className="top-search" aria-keyshortcuts="Control+K" onClick={() => onOverlay('palette')}>
        <Search size={15} aria-hidden="true" />
        <span className="top-search-text">{t('shell.search')}</span>
        <span className="kbd" aria-hidden="true">
          Ctrl K
        </span>
      </button>
      <ClusterChoice />
      <span className="space" />
      <LiveMark />
      <ThemeButton />
      <AccountButton />
    </header>
  )
}

const tones = { connecting: 'mute', live: 'ok', lost: 'bad' } as const satisfies Readonly<Record<Connection, string>>

function LiveMark() {
  const connection = useConnection()
  return (
    <span className="live" role="status">
      <StateMark tone={tones[connection]} label={t(`live.${connection}`)} />
    </span>
  )
}

function ThemeButton() {
  const [dark, setDark] = useState(isDark)
  const Icon = dark ? Sun : Moon
  const toggle = () => {
    switchTheme()
    setDark(isDark())
  }
  return (
    <button
      type="button"
      className="btn icon ghost"
      aria-label={t('display.switchTheme')}
      title={t('display.switchTheme')}
      onClick={toggle}
    >
      <Icon size={17} aria-hidden="true" />
    </button>
  )
}

/** The menu is loaded with its first use. */
function AccountButton() {
  const { session } = useSession()
  const [isOpen, setOpen] = useState(false)
  const button = useRef<HTMLButtonElement>(null)
  return (
    <>
      <button
        ref={button}
        type="button"
        className="btn ghost account-button"
        aria-label={t('shell.account', { name: session.operator })}
        aria-haspopup="dialog"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        <UserRound size={16} aria-hidden="true" />
        <span className="account-name">{session.operator}</span>
      </button>
      {isOpen && (
        <Suspense>
          <Account anchor={button} onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  )
}
