import './shell.css'
import { Outlet } from '@tanstack/react-router'
import { lazy, Suspense, useEffect, useState } from 'react'
import { useConnection } from '../api/connection.js'
import { useLive } from '../live/use-live.js'
import { t } from '../words/text.js'
import type { Overlay } from './overlay.js'
import { Sidebar } from './sidebar.js'
import { TopBar } from './top-bar.js'
import { useKeys } from './use-keys.js'

const loadPalette = () => import('./palette.js').then(({ Palette }) => ({ default: Palette }))
const Palette = lazy(loadPalette)
const KeyHelp = lazy(() => import('./key-help.js').then(({ KeyHelp }) => ({ default: KeyHelp })))

/** The overlays are loaded when the page is at rest, so that the first key opens them at once. */
const preloadMs = 3_000

/** The frame of all screens. */
export function Shell() {
  const [overlay, setOverlay] = useState<Overlay>(null)
  const [isOpen, setOpen] = useState(false)
  useEffect(() => {
    // It is loaded again when it is opened.
    const timer = setTimeout(() => void loadPalette().catch(() => undefined), preloadMs)
    return () => clearTimeout(timer)
  }, [])
  useKeys(overlay, setOverlay)
  useLive()
  const close = () => setOverlay(null)
  return (
    <div className="shell">
      <a className="skip btn primary" href="#main">
        {t('shell.skip')}
      </a>
      <Sidebar isOpen={isOpen} onClose={() => setOpen(false)} />
      <TopBar isMenuOpen={isOpen} onMenu={() => setOpen(!isOpen)} onOverlay={setOverlay} />
      <main id="main" tabIndex={-1}>
        <LostBanner />
        <Outlet />
      </main>
      <Suspense>
        {overlay === 'palette' && <Palette onClose={close} />}
        {overlay === 'keys' && <KeyHelp onClose={close} />}
      </Suspense>
    </div>
  )
}

function LostBanner() {
  if (useConnection() !== 'lost') return null
  return (
    <p className="banner warn lost" role="alert">
      {t('live.lostBanner')}
    </p>
  )
}
