import { Popover } from '@base-ui/react/popover'
import { LogOut } from '../ui/icons.js'
import type { RefObject } from 'react'
import { pathOf } from '../api/base.js'
import { useSession } from '../api/session-context.js'
import { dateTime } from '../format/time.js'
import { t } from '../words/text.js'
import { DisplayChoices } from './display-choices.js'

interface AccountProps {
  readonly anchor: RefObject<HTMLButtonElement | null>
  readonly onClose: () => void
}

/** Who is logged in, how the console is displayed, and the way out. */
export function Account({ anchor, onClose }: AccountProps) {
  const { session, logOut } = useSession()
  return (
    <Popover.Root open onOpenChange={(isOpen) => !isOpen && onClose()}>
      <Popover.Portal>
        <Popover.Positioner anchor={anchor} side="bottom" align="end" sideOffset={6} className="popup-layer">
          <Popover.Popup className="popup account" finalFocus={anchor}>
            <div className="account-head">
              <Popover.Title render={<p />}>{session.operator}</Popover.Title>
              <p className="muted small">
                {t(`account.role.${session.role}`)} · {t('account.expires', { at: dateTime(session.expires) })}
              </p>
            </div>
            <DisplayChoices />
            <div className="account-foot">
              <a href={pathOf('docs/')}>{t('account.docs')}</a>
              <button type="button" className="btn s" onClick={() => void logOut()}>
                <LogOut size={14} aria-hidden="true" /> {t('account.logOut')}
              </button>
            </div>
          </Popover.Popup>
        </Popover.Positioner>
      </Popover.Portal>
    </Popover.Root>
  )
}
