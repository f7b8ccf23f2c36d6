import { useEffect, useRef } from 'react'
import type { RefObject } from 'react'
import { t } from '../words/text.js'

interface ViewChoiceProps {
  readonly isMap: boolean
  /** True once somebody has chosen: the button of the other screen gets the focus, which the former one had. */
  readonly wasChosen: RefObject<boolean>
  readonly onShow: (view: 'map' | undefined) => void
}

/** Chooses between the table and the map. */
export function ViewChoice({ isMap, wasChosen, onShow }: ViewChoiceProps) {
  const pressed = useRef<HTMLButtonElement>(null)
  useEffect(() => {
    if (wasChosen.current) pressed.current?.focus()
  }, [wasChosen])
  return (
    <div className="seg" role="group" aria-label={t('devices.view')}>
      <button ref={isMap ? null : pressed} type="button" aria-pressed={!isMap} onClick={() => onShow(undefined)}>
        {t('devices.table')}
      </button>
      <button ref={isMap ? pressed : null} type="button" aria-pressed={isMap} onClick={() => onShow('map')}>
        {t('devices.map')}
      </button>
    </div>
  )
}
