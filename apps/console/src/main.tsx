import './design/layers.css'
import './design/font.css'
import './design/tokens.css'
import './design/base.css'
import './ui/controls.css'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { App } from './app.js'
import { followPreferences } from './api/preferences.js'
import { readSession } from './api/session.js'
import { followOtherTabs } from './format/display.js'
import { loadLanguage } from './words/text.js'

const root = createRoot(document.querySelector('#root') as HTMLElement)
const [session] = await Promise.all([readSession().catch(() => null), loadLanguage()])
followOtherTabs()
if (session !== null) followPreferences(session, { mayReload: true })
root.render(
  <StrictMode>
    <App initial={session} />
  </StrictMode>,
)
