import './page.css'
import { useEffect } from 'react'
import type { ReactNode } from 'react'

interface PageProps {
  readonly title: string
  /** Where it belongs: links to what is above it. */
  readonly crumbs?: ReactNode
  /** State and time beside the title. */
  readonly state?: ReactNode
  /** The buttons of the screen. */
  readonly actions?: ReactNode
  /** The content uses the height of the window, and scrolls by itself. */
  readonly fills?: boolean
  readonly children: ReactNode
}

/** The frame of a screen. The title of the tab follows it. */
export function Page({ title, crumbs, state, actions, fills = false, children }: PageProps) {
  useEffect(() => {
    document.title = `${title} · Roost`
  }, [title])
  return (
    <div className={fills ? 'page fills' : 'page'}>
      {crumbs !== undefined && (
        <nav className="crumbs" aria-label="Breadcrumb">
          {crumbs}
        </nav>
      )}
      <div className="page-head">
        <h1>{title}</h1>
        <div className="page-state">{state}</div>
        {actions !== undefined && <div className="page-actions">{actions}</div>}
      </div>
      {children}
    </div>
  )
}
